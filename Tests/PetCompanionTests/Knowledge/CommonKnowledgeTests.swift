// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("Easy questions and small requests")
struct CommonKnowledgeTests {
  private struct Example {
    let line: String
    /// "*": any of several; "-": none.
    let answer: String
  }

  private static func examples() throws -> [Example] {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../Fixtures/knowledge_examples.txt")
    return String(decoding: try Data(contentsOf: path), as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t")
      return parts.count == 2 ? Example(line: String(parts[0]), answer: String(parts[1])) : nil
    }
  }

  @Test("as people type them, each has its answer, and what only sounds like them has none")
  func examples() throws {
    let examples = try Self.examples()
    #expect(examples.count > 500)
    for example in examples {
      let answers = CommonKnowledge.standard.answers(to: example.line)
      switch example.answer {
      case "-": #expect(answers.isEmpty, "\(example.line)")
      case "*": #expect(answers.count > 1, "\(example.line)")
      case let wanted: #expect(answers == [wanted], "\(example.line)")
      }
    }
  }

  @Test("every line is in form around an answer, may be said, and is not said twice in a row")
  func lines() throws {
    let knowledge = CommonKnowledge.standard
    for (temperament, kinds) in knowledge.all {
      #expect(Set(kinds.keys) == ["fact", "request"], "\(temperament)")
      for line in kinds.values.flatMap(\.self) {
        let written = line.replacing("{told}", with: "A cow says moo.")
        #expect(written != line && Reply(written: written).written == written, "\(temperament): \(line)")
      }
    }
    for example in try Self.examples() {
      for answer in knowledge.answers(to: example.line) {
        #expect(ReplyCheck.standard.verdict(on: answer) == .pass, "\(answer)")
        #expect(!answer.contains("{") && !answer.contains("}") && answer.count < 240, "\(answer)")
      }
    }
    let question = "how many days are there in a week"
    let first = try #require(knowledge.reply(to: question, temperament: "grumpy", choice: 1))
    let second = try #require(knowledge.reply(to: question, temperament: "grumpy", choice: 1, recent: [first.text]))
    #expect(first.text != second.text && first.isWellFormed && second.isWellFormed)
  }

  @Test(
    "a table that could answer nothing or anything is refused",
    arguments: [
      #"{"asks": ["what"]}"#, #"{"asks": ["what"], "says": ["a"], "rows": {"b": "c"}}"#,
      #"{"asks": [".. what"], "says": ["a"]}"#,
      #"{"asks": ["what"], "rows": {"two words": "c"}}"#, #"{"says": ["a"]}"#,
    ])
  func refused(_ table: String) {
    let text = #"{"tables": [\#(table)], "lines": {"plain": {"fact": ["a", "b"], "request": ["a", "b"]}}}"#
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(CommonKnowledge.self, from: Data(text.utf8)) }
  }
}
