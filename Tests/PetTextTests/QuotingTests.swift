// SPDX-License-Identifier: Apache-2.0
import PetText
import Testing

@Suite("Texts of strangers in messages")
struct QuotingTests {
  private static let hostile = "a\u{1B}[2J\u{202E}b\nc\u{E000}é"

  @Test("in one line control characters are U+FFFD")
  func oneLine() { #expect(Self.hostile.oneLine == "a\u{FFFD}[2J\u{202E}b\u{FFFD}c\u{E000}é") }

  @Test("as a word it is short, and what is invisible is a question mark")
  func quotable() {
    #expect(Self.hostile.quotable == "a?[2J?b?c?é")
    #expect(String(repeating: "x", count: 41).quotable == String(repeating: "x", count: 40))
  }

  @Test("as a name it stays recognizable: escaped, and cut with dots")
  func printable() {
    #expect(Self.hostile.printable == "a\\u{1b}[2J\\u{202e}b\\u{a}c\\u{e000}é")
    #expect("abcd".printable(atMost: 3) == "abc..." && "abc".printable(atMost: 3) == "abc")
  }
}
