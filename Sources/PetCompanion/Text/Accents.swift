// SPDX-License-Identifier: Apache-2.0
/// Latin letters without their accents.
enum Accents {
  /// Of Western Europe and of transcriptions. The networks were trained with these: for them any other letter separates words.
  static let western = table("àáâãäåāçèéêëēìíîïīñòóôõöøōùúûüūýÿßšž", "aaaaaaaceeeeeiiiiinooooooouuuuuyyssz")
  /// Those, and letters of Central Europe and of Turkish.
  static let european = western.merging(table("ąćčęığńşśżźł", "acceingsszzl")) { western, _ in western }

  /// Whether a code point puts an accent on the letter before it, as some keyboards write it.
  static func areCombined(by scalar: Unicode.Scalar) -> Bool { (0x300...0x36F).contains(scalar.value) }

  private static func table(_ letters: String, _ plain: String) -> [Unicode.Scalar: UInt8] {
    Dictionary(uniqueKeysWithValues: zip(letters.unicodeScalars, plain.utf8))
  }
}
