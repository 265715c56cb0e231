// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetLanguage

/// A reply of a model that no pet stands behind, and what is told beside its words.
package struct MindedReply: Sendable, Equatable {
  /// Its text is what was said; tokens and probabilities are those that were drawn, marks included.
  package var generation: GenerationResult
  /// As the model's form tells it; nil where it told none.
  package var emotion: Emotion?
  package var actions: [PetAction] = []
  /// What the message told of; the words are then written, and no model's.
  package var danger: Danger?
  /// As of ``CompanionAnswer/safety``.
  package var safety: SafetyEvent?

  package init(generation: GenerationResult, emotion: Emotion? = nil, actions: [PetAction] = []) {
    (self.generation, self.emotion, self.actions) = (generation, emotion, actions)
  }
}
