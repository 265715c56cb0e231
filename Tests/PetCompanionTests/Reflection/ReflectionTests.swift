// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import SeededGenerator
import Testing

@Suite("What a person wrote, said back")
struct ReflectionTests {
  private let reflection = Reflection.standard

  @Test(
    "the clause that tells most is turned towards the person; questions, wishes, and what is about the pet are not said back"
  )
  func restatements() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/reflections.txt")
    let text = String(decoding: try Data(contentsOf: path), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    for line in lines {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(fields.count == 2, "\(line)")
      #expect(
        reflection.restatement(of: fields[0], pet: "Tofu") == (fields[1].isEmpty ? nil : fields[1]), "\(fields[0])")
    }
    #expect(lines.count > 30)
  }

  @Test("nothing that is typed makes it fail, and what is too long is not looked at")
  func hostile() {
    #expect(reflection.restatement(of: "I lost " + String(repeating: "my keys ", count: 300), pet: "Tofu") == nil)
    for text in [
      "", " ", "'", "''' '' '", "\u{0}", "-", "so", "so so so", "and and i", "i'", "£", "a\u{301}\u{301} b", "..i..",
    ] {
      _ = reflection.restatement(of: text, pet: "")
    }
    var random = SeededGenerator(seed: 5)
    let pieces = ["i", "so", "and", "my", "'", ",", "was", "no", "\u{1F600}", "£", "dog", "?", "this morning", "\n"]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0..<9, using: &random)).compactMap { _ in pieces.randomElement(using: &random) }
      let restated = reflection.restatement(of: text.joined(separator: " "), pet: "dog")
      #expect(restated?.contains { "{}<>?!".contains($0) } != true, "\(text)")
    }
  }

  @Test(
    "each temperament has lines in form that may be said, with the person's words in them, and never twice in a row")
  func lines() throws {
    for (temperament, kinds) in reflection.all {
      for line in try #require(kinds["told"]) {
        let reply = Reply(written: line.replacing("{words}", with: "You missed the bus"))
        #expect(reply.isWellFormed && reply.text.contains("You missed the bus"), "\(temperament): \(line)")
        #expect(ReplyCheck.standard.verdict(on: reply.text) == .pass, "\(line)")
        #expect(reply.text.split(separator: " ").count < 25, "\(line)")
      }
    }
    let words = "You missed the bus"
    let first = try #require(reflection.reply(saying: words, temperament: "shy", choice: 3))
    let second = try #require(reflection.reply(saying: words, temperament: "shy", choice: 3, recent: [first.text]))
    #expect(first.text != second.text)
  }

  @Test("it counts for more where it shows how the person feels, and for less when it would come again")
  func rightness() {
    let plain = Reflection.rightness(isFelt: false, isAgain: false)
    #expect(Reflection.rightness(isFelt: true, isAgain: false) > plain)
    #expect(Reflection.rightness(isFelt: false, isAgain: true) < plain)
  }

  @Test(
    "a file that would leave a pet without words is refused",
    arguments: [
      "{}", #"{"persons": {}, "spellings": {}, "you": [], "openers": [], "closers": [], "lines": {"plain": {}}}"#,
    ])
  func refused(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Reflection.self, from: Data(text.utf8)) }
  }
}
