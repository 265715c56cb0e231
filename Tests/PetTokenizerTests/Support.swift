// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetTokenizer
import Testing

/// Files made by References/make_tokenizer_goldens.py.
enum Fixture {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

  static func bytes(_ name: String, in folder: URL = folder) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: name)))
  }
}

/// A vocabulary as the script writes it; see there for the layout.
struct VocabularyFixture {
  var kind: String
  var tokens: [[UInt8]] = []
  var types: [Int32] = []
  var scores: [Float] = []
  var merges: [[UInt8]] = []

  init(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    func number() -> UInt32 {
      let value = rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
      rest = rest.dropFirst(4)
      return value
    }
    func string() -> [UInt8] {
      let count = Int(number())
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    kind = String(decoding: string(), as: UTF8.self)
    for _ in 0..<number() {
      types.append(Int32(bitPattern: number()))
      scores.append(Float(bitPattern: number()))
      tokens.append(string())
    }
    for _ in 0..<number() { merges.append(string()) }
    try #require(rest.isEmpty && !tokens.isEmpty)
  }

  /// - Parameter preTokenizer: instead of the one in the file.
  func vocabulary(preTokenizer: PreTokenizer? = nil, roles: TokenRoles? = nil) throws -> Vocabulary {
    let algorithm: Vocabulary.Algorithm =
      kind == "spm" ? .sentencePiece : .byteLevelBPE(try preTokenizer ?? PreTokenizer(name: kind))
    return try Vocabulary(
      algorithm: algorithm, tokens: TokenTable(tokens), scores: scores, types: types, merges: TokenTable(merges),
      roles: roles ?? .defaults(for: algorithm))
  }
}

/// One line of a golden file.
struct Golden {
  var text: [UInt8]
  var ids: [Int32]
  /// With special tokens parsed; nil where there is no reference.
  var parsed: [Int32]?

  static func read(_ bytes: [UInt8]) throws -> [Golden] {
    try bytes.split(separator: 0x0A).map { line in
      let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
      try #require(fields.count == 3)
      let ids = numbers(fields[1])
      let parsed: [Int32]? =
        switch String(decoding: fields[2], as: UTF8.self) {
        case "-": nil
        case "=": ids
        default: numbers(fields[2])
        }
      return Golden(text: unescape(fields[0]), ids: ids, parsed: parsed)
    }
  }

  private static func numbers(_ field: ArraySlice<UInt8>) -> [Int32] {
    field.split(separator: 0x20).map { $0.reduce(0) { $0 * 10 + Int32($1 - 0x30) } }
  }

  private static func unescape(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      if rest.popFirst() == UInt8(ascii: "x") {
        text.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      } else {
        text.append(byte)
      }
    }
    return text
  }
}

/// Compares a tokenizer with a golden file; says how many strings differ and shows the first few.
func expectEqualIDs(
  _ tokenizer: any Tokenizer, _ goldens: [Golden], parsing: Bool, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  var mismatches: [String] = []
  var compared = 0
  for golden in goldens {
    guard let expected = parsing ? golden.parsed : golden.ids else { continue }
    compared += 1
    let found = try tokenizer.encode(golden.text, specials: parsing ? .parse : .asText)
    if found != expected {
      mismatches.append(
        "\(String(decoding: golden.text, as: UTF8.self).debugDescription) \(golden.text.prefix(40)): "
          + "expected \(expected), found \(found)")
    }
  }
  #expect(compared > 100, "too few strings to say anything", sourceLocation: sourceLocation)
  #expect(
    mismatches.isEmpty, "\(mismatches.count) of \(compared) differ:\n\(mismatches.prefix(5).joined(separator: "\n"))",
    sourceLocation: sourceLocation)
}
