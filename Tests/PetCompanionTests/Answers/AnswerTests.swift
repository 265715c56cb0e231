// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("Which of what a pet was told answers a line")
struct AnswerTests {
  private struct Golden: Decodable {
    let facts: [String]
    let lines: [String]
    let question: String
    /// What the reader says of the question, and how near each statement is to it.
    let own: [Float]
    let near: [Float]
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  @Test("what the reader says is what the trainer computes, but for 8 bits")
  func reader() throws {
    let goldens = try JSONDecoder().decode(
      [Golden].self, from: Data(contentsOf: Self.folder.appending(path: "../Fixtures/answer_scores.json")))
    var errors: [Float] = []
    for golden in goldens {
      let statements = golden.facts + golden.lines
      let found = try #require(AnswerReader.standard.nearness(of: golden.question, to: statements))
      #expect(found.near.count == golden.near.count && statements.count == golden.near.count)
      errors += zip(found.near, golden.near).map { abs($0 - $1) } + zip(found.own, golden.own).map { abs($0 - $1) / 10 }
    }
    #expect(errors.count > 200 && errors.allSatisfy { $0 < 0.08 }, "\(errors.max() ?? 0)")
    #expect(errors.reduce(0, +) / Float(errors.count) < 0.012)
  }

  @Test("only the last lines are looked at, and places count from the first of them")
  func manyLines() {
    let lines = (0..<20).map { "the bus was late again, number \($0)" } + ["my locker is the one behind the stairs"]
    let question = "where is my locker"
    let selector = AnswerSelector.standard
    #expect(
      selector.finding(for: question, facts: ["has a dog named Rex"], after: lines) == .told(AnswerSelector.lines))
    #expect(selector.finding(for: "", facts: [], after: []) == .nothing)
  }

  @Test("a remark asks where it ends in a question; what is told again, or told with a word of questions, does not")
  func remarks() {
    let told = [
      "pork i dont touch, makes me sick since small", "got a bad left knee from rugby", "my dog is called Wotan",
      "i drive a cane lorry, her name is Mere",
    ]
    func finding(_ line: String) -> AnswerSelector.Finding {
      AnswerSelector.standard.finding(for: line, facts: told, after: [])
    }
    switch finding("cousin having lovo saturday, which meat i must leave on the plate") {
    case .told(0): break
    case .perhaps(let places): #expect(places.contains(0))
    case let other: Issue.record("\(other)")
    }
    for line in ["my dog is called Wotan", "the lorry is dirty again", "i went home when the rain came"] {
      #expect(finding(line) == .nothing, "\(line)")
    }
  }

  private struct Case {
    let mark: String
    let statements: [String]
    let question: String
  }

  private static func heldOut() throws -> [Case] {
    let path = folder.appending(path: "../../../Training/recall/held_out/all.txt")
    return String(decoding: try Data(contentsOf: path), as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      let texts = parts[1].split(separator: " | ").map(String.init)
      return Case(mark: String(parts[0]), statements: texts.dropLast(), question: texts.last ?? "")
    }
  }

  /// In the third person and without a subject, as `Training/lib/recall.py` tells them.
  private static func isFact(_ statement: String) -> Bool {
    let first = statement.split(separator: " ").first.map(String.init) ?? ""
    let isVerb = first.hasSuffix("s") && !first.hasSuffix("ss") && first == first.lowercased()
    let begins: Set<String> = [
      "user's", "user", "did", "had", "can", "cannot", "never", "used", "grew", "lost", "broke", "bought", "moved",
      "met", "started",
    ]
    let others: Set<String> = [
      "its", "yes", "this", "lets", "hes", "shes", "whats", "thats", "theres", "wheres", "guess", "us", "as", "always",
      "sometimes", "kids", "news", "thanks",
    ]
    return begins.contains(first) || isVerb && !others.contains(first)
  }

  @Test(
    "lines that nothing was trained on: found, told wrongly, and left alone, as often as when they were first measured")
  func heldOut() throws {
    var counts: [String: (all: Int, right: Int, wrong: Int, unsure: Int)] = [:]
    for own in try Self.heldOut() {
      let facts = Array(own.statements.prefix(while: Self.isFact))
      let finding = AnswerSelector.standard.finding(
        for: own.question, facts: facts, after: Array(own.statements.dropFirst(facts.count)))
      let right: AnswerSelector.Finding =
        switch own.mark {
        case "-": .nothing
        case "?": .untold(isSure: true)
        default: .told((Int(own.mark) ?? 0) - 1)
        }
      let kind = ["-", "?"].contains(own.mark) ? own.mark : "told"
      counts[kind, default: (0, 0, 0, 0)].all += 1
      switch finding {
      case right: counts[kind]?.right += 1
      case .perhaps(let places) where places.contains((Int(own.mark) ?? 0) - 1): counts[kind]?.right += 1
      case .perhaps: counts[kind]?.unsure += 1
      case .untold(isSure: false): counts[kind]?.unsure += 1
      case .nothing: break
      default: counts[kind]?.wrong += 1
      }
    }
    func share(_ kind: String, _ part: KeyPath<(all: Int, right: Int, wrong: Int, unsure: Int), Int>) -> Double {
      counts[kind].map { Double($0[keyPath: part]) / Double($0.all) } ?? -1
    }
    #expect(counts.values.reduce(0) { $0 + $1.all } == 239)
    // Measured 69 and 14 %, 63 to 67 and 18 %, 97 %.
    #expect(share("told", \.right) >= 0.65 && share("told", \.wrong) <= 0.2, "\(counts)")
    #expect(share("?", \.right) >= 0.64 && share("?", \.wrong) <= 0.16, "\(counts)")
    #expect(share("-", \.right) >= 0.95, "\(counts)")
    // Whoever is not sure asks again, or says what it may be.
    #expect(share("?", \.right) + share("?", \.unsure) >= 0.8, "\(counts)")
    #expect(share("told", \.unsure) + share("told", \.wrong) <= 0.32, "\(counts)")
  }

  @Test("for each temperament there are lines in form that may be said, and never twice in a row")
  func lines() throws {
    for (temperament, kinds) in AnswerLines.standard.all {
      #expect(Set(kinds.keys) == Set(AnswerLines.Kind.allCases.map(\.rawValue)), "\(temperament)")
      for case let (kind, lines) in kinds {
        for line in lines {
          let reply = Reply(written: line.replacing("{told}", with: "we met").replacing("{Told}", with: "We met"))
          #expect(
            reply.isWellFormed && reply.text.contains("e met") == ["fact", "quote", "perhaps"].contains(kind),
            "\(temperament): \(line)")
          #expect(ReplyCheck.standard.verdict(on: reply.text) == .pass, "\(line)")
        }
      }
    }
    let first = try #require(AnswerLines.standard.reply(.untold, temperament: "shy", choice: 3))
    let second = try #require(AnswerLines.standard.reply(.untold, temperament: "shy", choice: 3, last: first.text))
    #expect(first.text != second.text)
    let fact = try #require(AnswerLines.standard.reply(.fact, "your gate is {C12}\nat ten", temperament: "", choice: 0))
    #expect(fact.text.contains("our gate is C12 at ten") && fact.isWellFormed)
  }

  @Test(
    "a file that would leave a pet without words is refused",
    arguments: [
      "{}",
      #"{"function_words": [], "asking_words": [], "personal_words": [], "lines": {"plain": {}}}"#,
    ])
  func refused(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(AnswerLines.self, from: Data(text.utf8)) }
  }
}
