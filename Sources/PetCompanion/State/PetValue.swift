// SPDX-License-Identifier: Apache-2.0
/// What a ``PetState`` is made of.
public enum PetValue: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
  case hunger, energy, mood, affection, health
}

/// A state between the whole numbers, each value from 0 to 100: in whole numbers, an hour looked at every minute would be no
/// time at all.
package struct PetLevels: Sendable, Equatable {
  private var hunger, energy, mood, affection, health: Double

  package init(_ state: PetState) {
    (hunger, energy, mood) = (Double(state.hunger), Double(state.energy), Double(state.mood))
    (affection, health) = (Double(state.affection), Double(state.health))
  }

  package subscript(_ value: PetValue) -> Double {
    get { self[keyPath: Self.path(value)] }
    set { if newValue.isFinite { self[keyPath: Self.path(value)] = min(max(newValue, 0), 100) } }
  }

  private static func path(_ value: PetValue) -> WritableKeyPath<PetLevels, Double> {
    switch value {
    case .hunger: \.hunger
    case .energy: \.energy
    case .mood: \.mood
    case .affection: \.affection
    case .health: \.health
    }
  }

  package var state: PetState {
    func whole(_ value: PetValue) -> Int { Int(self[value].rounded()) }
    return PetState(
      hunger: whole(.hunger), energy: whole(.energy), mood: whole(.mood), affection: whole(.affection),
      health: whole(.health))
  }
}

extension PetLevels: Codable {
  package init(from decoder: any Decoder) throws {
    let stored = try [PetValue: Double](from: decoder)
    self.init(PetState())
    for value in PetValue.allCases {
      guard let level = stored[value], level.isFinite else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "\(value.rawValue) is missing or no number"))
      }
      self[value] = level
    }
  }

  package func encode(to encoder: any Encoder) throws {
    try Dictionary(uniqueKeysWithValues: PetValue.allCases.map { ($0, self[$0]) }).encode(to: encoder)
  }
}
