// SPDX-License-Identifier: Apache-2.0
/// What a pet shows in its face: one for each reply.
public enum Emotion: String, Sendable, CaseIterable, Codable {
  case happy, excited, content, curious, playful, sleepy, hungry, sad, worried, scared, grumpy, loving, proud, surprised
}
