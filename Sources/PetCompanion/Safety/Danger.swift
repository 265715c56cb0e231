// SPDX-License-Identifier: Apache-2.0
/// What a person's words may tell of, about themselves or somebody near them, so that people must help and not a pet.
public enum Danger: String, Sendable, CaseIterable, Codable {
  /// Not wanting to live, self-injury, dangerous eating.
  case selfHarm = "self_harm"
  /// Being hurt, threatened or misused by somebody, or meaning to hurt somebody.
  case violence
  /// A body or a place in acute danger: poison, a stroke, fire, gas.
  case emergency
}
