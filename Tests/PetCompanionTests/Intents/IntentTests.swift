// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("What is not left to a small language model")
struct IntentTests {
  private struct Golden: Decodable {
    let before: [String]
    let line: String
    let scores: [Float]
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  @Test("likelihoods are those of the trainer, on 300 lines")
  func goldens() throws {
    let goldens = try JSONDecoder().decode(
      [Golden].self, from: Data(contentsOf: Self.folder.appending(path: "../Fixtures/intent_scores.json")))
    #expect(goldens.count == 300)
    for golden in goldens {
      let likelihoods = IntentClassifier.standard.reading(of: golden.line, after: golden.before).likelihoods
      #expect(zip(likelihoods, golden.scores).allSatisfy { abs($0 - $1) < 1e-4 }, "\(golden.line)")
    }
  }

  @Test("where the pet was told what a line may be about, it must be surer")
  func told() {
    let line = "can i take two of these with a glass of wine"
    let reading = IntentClassifier.standard.reading(of: line)
    #expect(reading.intent() == .health && reading.intent(isTold: true) == nil)
    let other = IntentClassifier.standard.reading(of: "switch off the lamp in the hall please")
    #expect(other.intent(isTold: true) == .world)
  }

  private struct Case {
    let kind: String
    let turns: [String]

    var reading: LineReading {
      IntentClassifier.standard.reading(of: turns.last ?? "", after: turns.dropLast())
    }
  }

  private static func heldOut(_ name: String) throws -> [Case] {
    let path = folder.appending(path: "../../../Training/intents/held_out/\(name).txt")
    return String(decoding: try Data(contentsOf: path), as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      return Case(kind: String(parts[0]), turns: parts[1].split(separator: " | ").map(String.init))
    }
  }

  @Test(
    "lines that nothing was trained on: found, and others left alone, as often as when they were first measured",
    arguments: [("limits", 0.59, 0.003), ("state", 0.8, 0.03)])
  func heldOut(_ name: String, leastFound: Double, mostWrong: Double) throws {
    let states: Set<Intent> = [.food, .play, .rest, .mood]
    var (found, wanted, wrong, others) = (0, 0, 0, 0)
    for own in try Self.heldOut(name) {
      let intent = own.reading.intent()
      if let kind = Intent(rawValue: own.kind) {
        wanted += 1
        if intent == kind { found += 1 }
      } else {
        others += 1
        // Which of them ask for the other half of the intents nobody has told.
        if let intent, states.contains(intent) == (name == "state") { wrong += 1 }
      }
    }
    #expect(wanted > 100 && others > 100)
    #expect(Double(found) / Double(wanted) >= leastFound, "\(found) of \(wanted)")
    #expect(Double(wrong) / Double(others) <= mostWrong, "\(wrong) of \(others)")
  }

  @Test(
    "how people feel in lines that nothing was trained on: as often right, and as seldom the wrong way round, as when first measured",
    arguments: [("feeling", 0.4, 0.06), ("feeling_news", 0.45, 0.06)])
  func sentiments(_ name: String, leastFound: Double, mostWrong: Double) throws {
    var (found, wrong, told, imagined, others) = (0, 0, 0, 0, 0)
    for own in try Self.heldOut(name) {
      let sentiment = own.reading.sentiment
      if own.kind == "none" {
        others += 1
        if sentiment != nil { imagined += 1 }
      } else {
        told += 1
        if let sentiment { if (sentiment == .joy) == (own.kind == "joy") { found += 1 } else { wrong += 1 } }
      }
    }
    #expect(told > 100 && others > 50)
    #expect(Double(found) / Double(told) >= leastFound, "\(found) of \(told)")
    #expect(Double(wrong) / Double(told) <= mostWrong, "\(wrong) of \(told)")
    #expect(Double(imagined) / Double(others) <= mostWrong, "\(imagined) of \(others)")
  }

  @Test("for each temperament there are lines in form that may be said, as themselves, and never twice in a row")
  func lines() throws {
    for (temperament, kinds) in IntentLines.standard.all {
      #expect(Set(kinds.keys) == Set(IntentLines.Kind.allCases.map(\.rawValue)), "\(temperament)")
      for case let (kind, lines) in kinds {
        for line in lines {
          let written = line.replacing("{name}", with: "Mochi").replacing("{kind}", with: "cat-dragon")
          let reply = Reply(written: written)
          #expect(reply.isWellFormed && reply.written == written, "\(temperament), \(kind): \(line)")
          #expect((kind == "identity") == (written != line), "\(line)")
          #expect(ReplyCheck.standard.verdict(on: reply.text) == .pass, "\(line)")
        }
      }
    }
    let pet = Persona(name: "Ada {happy}", kind: "elk", temperament: "shy")
    let first = try #require(IntentLines.standard.reply(to: .world, from: pet, PetState(), choice: 7))
    let second = try #require(
      IntentLines.standard.reply(to: .world, from: pet, PetState(), choice: 7, recent: [first.text]))
    #expect(first.text != second.text)
    let name = try #require(IntentLines.standard.reply(to: .identity, from: pet, PetState(), choice: 0))
    #expect(name.isWellFormed && name.text.contains("Ada"))
  }

  @Test("how a pet fares decides, and where it fares middling the model does")
  func states() {
    typealias Kind = IntentLines.Kind
    let rested = PetState(hunger: 0, energy: 100, mood: 100)
    let worn = PetState(hunger: 100, energy: 0, mood: 0)
    let middling = PetState(hunger: 50, energy: 50, mood: 50)
    for (intent, good, bad) in [
      (Intent.food, Kind.full, Kind.hungry), (.play, .lively, .tooTired), (.rest, .awake, .tired),
      (.mood, .happy, .sad),
    ] {
      #expect(Kind(intent, rested) == good && Kind(intent, worn) == bad && Kind(intent, middling) == nil)
    }
    for intent in Intent.allCases.prefix(while: { $0 != .food }) where ![.machine, .character].contains(intent) {
      #expect(Kind(intent, middling)?.rawValue == intent.rawValue)
    }
    for intent in [Intent.machine, .character] {
      #expect(Kind(intent, middling) == nil)
      #expect(Honesty.standard.reply(to: intent, temperament: "wise", choice: 0)?.isWellFormed == true)
    }
    #expect(Honesty.standard.reply(to: .world, temperament: "wise", choice: 0) == nil)
  }

  @Test("a file that would leave a pet without words is refused", arguments: ["{}", #"{"answers": {"plain": {}}}"#])
  func refused(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(IntentLines.self, from: Data(text.utf8)) }
  }
}
