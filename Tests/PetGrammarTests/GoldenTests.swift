// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetGrammar
import Testing

/// What References/make_grammar_goldens.py wrote: schemas, and texts that an independent validator judged.
@Suite("Agreement with jsonschema")
struct GoldenTests {
  private struct Golden {
    var schema: [UInt8]
    var valid: [String]
    var invalid: [String]
  }

  private static var folder: String {
    String(#filePath.dropLast("GoldenTests.swift".count))
  }

  private func goldens() throws -> [Golden] {
    let data = try Data(contentsOf: URL(filePath: Self.folder + "Goldens/schemas.jsonl"))
    return try data.split(separator: UInt8(ascii: "\n")).map { line in
      let parts = try #require(Self.elements(Array(line)))
      let decode = { (part: [UInt8]) in try JSONDecoder().decode([String].self, from: Data(part)) }
      return Golden(schema: parts[0], valid: try decode(parts[1]), invalid: try decode(parts[2]))
    }
  }

  /// The elements of a JSON array as texts: the order of a schema's properties must stay.
  private static func elements(_ line: [UInt8]) -> [[UInt8]]? {
    var (parts, depth, isInString, isEscaped): ([[UInt8]], Int, Bool, Bool) = ([[]], 0, false, false)
    for byte in line.dropFirst().dropLast() {
      if !isInString, depth == 0, byte == UInt8(ascii: ",") {
        parts.append([])
        continue
      }
      parts[parts.count - 1].append(byte)
      if isEscaped {
        isEscaped = false
      } else if isInString {
        isEscaped = byte == UInt8(ascii: "\\")
        if byte == UInt8(ascii: "\"") { isInString = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
      }
    }
    return parts.count == 3 ? parts : nil
  }

  @Test("valid texts are accepted and near misses refused, for 1,200 random schemas")
  func verdicts() throws {
    for (index, golden) in try goldens().enumerated() {
      let grammar = try Grammar(jsonSchema: golden.schema, options: .init(isStrict: false))
      for text in golden.valid where try !grammar.matches(text) {
        Issue.record("schema \(index) refuses \(text): \(String(decoding: golden.schema, as: UTF8.self))")
      }
      for text in golden.invalid where try grammar.matches(text) {
        Issue.record("schema \(index) accepts \(text): \(String(decoding: golden.schema, as: UTF8.self))")
      }
    }
  }

  /// Pieces that texts of the goldens are made of.
  private static let tokens: [[UInt8]] = {
    let single = (0...255).map { [UInt8($0)] }
    let longer = [
      "{\"", "\":", "\",\"", "\"}", "[]", "{}", "],", "},", "}}", "null", "true", "false", "\":\"", "\":[", "\":{",
      "kind",
      "name", "12", "-1", "0.", "é", "日本", "😀", "\\u00", "\\n", "\\\"", "ab", "a\"", "1]", "[[", "]]", "2024-",
    ]
    return single + longer.map { Array($0.utf8) } + [[]]
  }()

  /// A text that the masks let through, drawn at random; after `budget` tokens what ends soonest is preferred.
  private func sample(_ start: GrammarMatcher, _ random: inout SeededRandom, budget: Int) -> [UInt8]? {
    let end = Int32(Self.tokens.count - 1)
    let closing: [Int32] = [0x22, 0x7D, 0x5D].map { Int32($0) }
    var (matcher, text) = (start, [UInt8]())
    for count in 0..<20_000 {
      let forced = matcher.forcedBytes(limit: 64)
      guard matcher.accept(bytes: forced) else { return nil }
      text += forced
      let mask = matcher.mask
      guard mask.count > 0 else { return nil }
      var token = mask.tokens[random.below(mask.count)]
      if count > budget, random.chance(60) {
        token = mask.allows(end) ? end : closing.first(where: mask.allows) ?? token
      }
      guard matcher.accept(token) else { return nil }
      if token == end { return text }
      text += Self.tokens[Int(token)]
    }
    return nil
  }

  @Test("random walks through the masks end in whole texts; PET_GRAMMAR_SAMPLES=FILE writes them for the validator")
  func samples() throws {
    var random = SeededRandom(10)
    var lines: [UInt8] = []
    for (index, golden) in try goldens().enumerated() {
      let options = JSONSchemaOptions(isStrict: index % 2 == 1)
      let grammar = try Grammar(jsonSchema: golden.schema, options: options, limits: .init(depth: 4))
      let matcher = try grammar.matcher(tokens: Self.tokens, ends: [Int32(Self.tokens.count - 1)])
      for budget in [5, 40] {
        guard let text = sample(matcher, &random, budget: budget) else {
          Issue.record("no text for schema \(index): \(String(decoding: golden.schema, as: UTF8.self))")
          continue
        }
        #expect(String(validating: text, as: UTF8.self) != nil)
        let quoted = try JSONEncoder().encode(String(decoding: text, as: UTF8.self))
        lines += Array("[\(index),".utf8) + Array(quoted) + Array("]\n".utf8)
      }
    }
    if let path = ProcessInfo.processInfo.environment["PET_GRAMMAR_SAMPLES"] {
      try Data(lines).write(to: URL(filePath: path))
    }
  }

  @Test("masks of random schemas are what trying each token gives")
  func masks() throws {
    var random = SeededRandom(11)
    let end = Int32(Self.tokens.count - 1)
    for golden in try goldens().enumerated().filter({ $0.offset % 12 == 0 }).map(\.element) {
      let grammar = try Grammar(jsonSchema: golden.schema, limits: .init(depth: random.chance(50) ? 2 : 64))
      var matcher = try grammar.matcher(tokens: Self.tokens, ends: [end])
      for _ in 0..<25 {
        let tokens = matcher.mask.tokens
        #expect(tokens == matcher.triedTokens(Self.tokens, ends: [end]))
        let texts = tokens.filter { $0 != end }
        guard !texts.isEmpty else { break }
        let isAccepted = matcher.accept(texts[random.below(texts.count)])
        #expect(isAccepted)
      }
    }
  }
}
