// SPDX-License-Identifier: Apache-2.0
import PetTokenizer
import Testing

/// The kinds of characters, which the patterns of pre-tokenizers ask for, against the standard library's tables.
@Suite struct UnicodeClassesTests {
  /// Newer scalars than ours are left out: the reference tokenizers do not know them either.
  private static func expected(_ properties: Unicode.Scalar.Properties) -> CharacterKind? {
    guard let age = properties.age, (age.major, age.minor) <= (16, 0) else { return nil }
    if properties.isWhitespace { return .space }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return .letter
    case .decimalNumber, .letterNumber, .otherNumber: return .number
    default: return .other
    }
  }

  @Test func everyScalarHasTheKindOfItsCategory() {
    var compared = 0
    var wrong: [String] = []
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), let kind = Self.expected(scalar.properties) else { continue }
      compared += 1
      if UnicodeClasses.shared.kind(of: scalar) != kind { wrong.append("U+\(String(value, radix: 16))") }
    }
    #expect(compared > 150_000)
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(10))")
  }

  @Test func whatIsNotAssignedIsOther() {
    for value in [0xE000, 0xFDD0, 0x10FFFF, 0x378] as [UInt32] {
      #expect(Unicode.Scalar(value).map { UnicodeClasses.shared.kind(of: $0) } == .other)
    }
  }
}
