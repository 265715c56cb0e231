// SPDX-License-Identifier: Apache-2.0
/// The 64 bits of an exchange: where its text begins, who said it and in which state, what it may be used for.
///
///     bits 0 text · 24 pet · 27 hunger · 30 energy · 33 mood · 36 emotion · 40 actions (5 each) · 50 needs · 53 use · 55 zero
package struct BankRecord {
  package static let pets = PersonaCatalog.numberedNames
  package static let noPet = 7
  private static let noAction = 31

  package static func name(_ pet: Int) -> String? { pets.indices.contains(pet) ? pets[pet] : nil }

  package let bits: UInt64

  private func field(_ shift: Int, _ width: Int) -> Int { Int(bits >> shift & (1 << width - 1)) }

  package var text: Int { field(0, 24) }
  package var pet: Int { field(24, 3) }
  /// The step from 0 to 4 of hunger, energy or mood.
  package func band(_ axis: Int) -> Int { field(27 + 3 * axis, 3) }
  package var needs: Int { field(50, 3) }
  package var use: BankExchange.Use { BankExchange.Use(rawValue: bits >> 53 & 3) ?? .never }
  package var emotion: Emotion { Emotion.allCases[min(field(36, 4), Emotion.allCases.count - 1)] }
  package var actions: [PetAction] {
    [field(40, 5), field(45, 5)].compactMap { $0 < PetAction.allCases.count ? PetAction.allCases[$0] : nil }
  }

  package var isValid: Bool {
    bits >> 55 == 0 && (pet < Self.pets.count || pet == Self.noPet) && (0..<3).allSatisfy { band($0) < 5 }
      && field(36, 4) < Emotion.allCases.count
      && [field(40, 5), field(45, 5)].allSatisfy { $0 < PetAction.allCases.count || $0 == Self.noAction }
  }

  package func exchange(_ id: Int, line: String, text: String) -> BankExchange {
    let reply = Reply(text: text, emotion: emotion, actions: actions, isWellFormed: true)
    return BankExchange(
      id: id, line: line, reply: reply, pet: pet == Self.noPet ? nil : Self.pets[pet], bands: (0..<3).map(band),
      needs: (0..<3).map { needs >> $0 & 1 == 1 }, use: use)
  }
}
