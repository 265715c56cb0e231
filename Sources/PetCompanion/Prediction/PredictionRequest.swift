// SPDX-License-Identifier: Apache-2.0
import Crypto

/// All that an answer depends on. What changes the answer and is missing here would be answered wrongly from the cache.
package struct PredictionRequest: Sendable, Equatable {
  /// Tells the model's weights apart.
  package var model: [UInt8]
  package var persona: String
  package var personaVersion: String
  /// Of ``PromptForm``; 0 for models of others.
  package var promptFormat: Int
  /// The ids that the model has seen before the message: system text, state and memories are among them.
  package var ledger: [Int32]
  package var message: String
  /// In any order; one that is named twice counts once.
  package var allowedActions: [PetAction]
  package var options: PredictionOptions

  package init(
    model: [UInt8], persona: String, personaVersion: String, promptFormat: Int, ledger: [Int32], message: String,
    allowedActions: [PetAction] = PetAction.allCases, options: PredictionOptions
  ) {
    self.model = model
    self.persona = persona
    self.personaVersion = personaVersion
    self.promptFormat = promptFormat
    self.ledger = ledger
    self.message = message
    self.allowedActions = allowedActions
    self.options = options
  }

  /// O(bytes of the request), a few microseconds for a full context.
  package var key: PredictionKey {
    var digest = KeyDigest()
    digest.append(model)
    digest.append(persona)
    digest.append(personaVersion)
    digest.append(promptFormat)
    digest.append(ledger)
    digest.append(message)
    digest.append(Set(allowedActions.map(\.rawValue)).sorted())
    options.append(to: &digest)
    return digest.finish()
  }
}

/// Fields one after the other, each behind its length: no two different sequences of fields give the same bytes.
package struct KeyDigest {
  private var hash = SHA256()

  package init() { append("pet prediction 1") }

  package mutating func append(_ bytes: [UInt8]) {
    append(bytes.count)
    hash.update(data: bytes)
  }

  package mutating func append(_ text: String) { append(Array(text.utf8)) }

  package mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: UInt64(truncatingIfNeeded: number).littleEndian) { hash.update(bufferPointer: $0) }
  }

  package mutating func append(_ tokens: [Int32]) {
    append(tokens.count)
    tokens.map(\.littleEndian).withUnsafeBytes { hash.update(bufferPointer: $0) }
  }

  package mutating func append(_ texts: [String]) {
    append(texts.count)
    for text in texts { append(text) }
  }

  package func finish() -> PredictionKey { PredictionKey(hash.finalize()) }
}
