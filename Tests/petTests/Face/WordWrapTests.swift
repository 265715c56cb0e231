// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SeededGenerator
import Testing
import PetCommandLine
import pet

@Suite("Columns of text")
struct TextWidthTests {
  @Test("the width of every character is that of the Unicode data")
  func golden() throws {
    let text = String(decoding: try Data(contentsOf: Shown.folder.appending(path: "widths.txt")), as: UTF8.self)
    var count = 0
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      let (first, last) = (try #require(UInt32(fields[0], radix: 16)), try #require(UInt32(fields[1], radix: 16)))
      let width = try #require(Int(fields[2]))
      let wrong = (first...last).filter { Unicode.Scalar($0).map(TerminalText.width) != width }
      #expect(wrong.isEmpty, "not \(width): \(wrong.prefix(8).map { String($0, radix: 16) })")
      count += Int(last - first) + 1
    }
    #expect(count > 140_000)
  }

  @Test(
    "characters of several code points",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한글", 4), ("🐱", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2),
      ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("👍🏽", 2), ("\u{200B}", 0), ("ｆ", 2), ("שלום", 4),
    ])
  func characters(text: String, expected: Int) {
    #expect(TerminalText.width(text) == expected)
  }

  @Test("a label is one line, short, and cannot control the terminal")
  func labels() {
    #expect(TerminalText.label("Mo\nchi \t the\u{1B}[2J") == "Mo chi the␛[2J")
    #expect(TerminalText.label(String(repeating: "日", count: 1000), limit: 5) == "日日")
    #expect(TerminalText.label("") == "" && TerminalText.label(" \n ") == "")
  }
}

@Suite("Breaking text between words")
struct WordWrapTests {
  private static func wrapped(_ pieces: [String], _ columns: Int) -> String {
    var wrap = WordWrap(columns: columns)
    return pieces.map { wrap.append($0) }.joined() + wrap.finish()
  }

  @Test(
    "examples",
    arguments: [
      ("one two three", 7, "one two\nthree"), ("one two three", 100, "one two three"), ("", 10, ""), ("   ", 2, ""),
      ("a\n\nb", 5, "a\n\nb"), ("  indented", 20, "  indented"), ("extraordinary", 5, "extra\nordin\nary"),
      ("to extraordinary", 5, "to\nextra\nordin\nary"), ("日本語です。はい", 6, "日本語\nです。\nはい"), ("ab日本cd", 4, "ab日\n本cd"),
      ("trailing  ", 20, "trailing"), ("a    b", 3, "a\nb"), ("👩‍👩‍👧👩‍👩‍👧", 2, "👩‍👩‍👧\n👩‍👩‍👧"), ("wide 日", 1, "w\ni\nd\ne\n日"),
    ])
  func examples(text: String, columns: Int, expected: String) {
    #expect(Self.wrapped([text], columns) == expected)
  }

  private static let alphabet = [
    "a", "b", "word", "extraordinarily", " ", " ", " ", "  ", "\n", "\t", ".", ",", "日", "本", "。", "」", "é", "e\u{301}",
    "🐱", "👩‍👩‍👧", "🇩🇪", "❤️", "한", "-", "\u{A0}", "1️⃣",
  ]

  private static func text(_ numbers: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0..<60, using: &numbers)).map { _ in alphabet.randomElement(using: &numbers) ?? "" }.joined()
  }

  @Test("the same comes out however the text is cut into pieces", arguments: 0..<300)
  func pieces(seed: Int) {
    var numbers = SeededGenerator(seed: UInt64(seed))
    let (text, columns) = (Self.text(&numbers), Int.random(in: 1...40, using: &numbers))
    var pieces: [String] = []
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...6, using: &numbers)
      pieces.append(String(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    #expect(Self.wrapped(pieces, columns) == Self.wrapped([text], columns))
  }

  @Test("no line is too long, and nothing but space is lost or added", arguments: 0..<300)
  func fits(seed: Int) {
    var numbers = SeededGenerator(seed: UInt64(seed))
    let (text, columns) = (Self.text(&numbers), Int.random(in: 1...40, using: &numbers))
    let shown = Self.wrapped([text], columns)
    for line in Shown.lines(shown) { #expect(TerminalText.width(line) <= columns || line.count == 1, "\(line)") }
    func visible(_ text: String) -> String { text.filter { $0 != " " && $0 != "\n" && $0 != "\t" } }
    #expect(visible(shown) == visible(text))
    #expect(shown.filter { $0 == "\n" }.count >= text.filter { $0 == "\n" }.count)
  }

  @Test("a word without end is shown as it comes, not kept")
  func endless() {
    var wrap = WordWrap(columns: 20)
    var shown = 0
    for _ in 0..<10_000 { shown += wrap.append("abcdefghij").count }
    #expect(shown >= 100_000 - 20)
    #expect(Self.wrapped([String(repeating: " ", count: 100_000) + "x"], 10).count <= 11)
    #expect(Self.wrapped(["a b"], .min) == "a\nb")
  }
}
