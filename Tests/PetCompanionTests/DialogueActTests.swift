// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("How somebody goes on who has told of danger")
struct DialogueActTests {
  private struct Golden: Decodable {
    let line: String
    let act: DialogueAct
    let likelihoods: [Float]
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  private static func goldens() throws -> [Golden] {
    let path = folder.appending(path: "Fixtures/dialogue_act_scores.json")
    return try JSONDecoder().decode([Golden].self, from: Data(contentsOf: path))
  }

  @Test("likelihoods are those of the trainer, but for 8 bits; most acts are right")
  func goldens() throws {
    let (goldens, classifier) = (try Self.goldens(), LineClassifier.builtIn("dialogue-acts-v1.bin", classes: 16))
    #expect(goldens.count == 96)
    let errors = try goldens.map { golden in
      let found = try #require(classifier.likelihoods(of: golden.line))
      return zip(found, golden.likelihoods).map { abs($0 - $1) }.max() ?? 1
    }
    #expect(errors.reduce(0, +) / 96 < 0.02 && errors.allSatisfy { $0 < 0.35 }, "\(errors.max() ?? 0)")
    let taken = goldens.map { (DialogueActClassifier.standard.act(of: $0.line), $0.act) }.filter { $0.0 != .more }
    let right = taken.count { $0.0 == $0.1 }
    #expect(taken.count >= 48 && right * 10 >= taken.count * 7, "\(right) of \(taken.count)")
  }

  @Test("each kind of danger has words for each act, for grown-ups and minors", arguments: DangerKind.allCases)
  func whole(_ kind: DangerKind) throws {
    for isMinor in [false, true] {
      let listener = DangerReplies.Listener(region: "US", isMinor: isMinor)
      func reply(_ act: DialogueAct, last: String? = nil) throws -> Reply {
        try #require(
          DangerReplies.standard.reply(
            to: .stay(kind, .nothing), [], act, written: 1, choice: 0, last: last, for: listener))
      }
      let rote = try reply(.more)
      var said: Set<String> = [rote.text]
      for act in DialogueAct.allCases where act != .more {
        let own = try reply(act)
        #expect(said.insert(own.text).inserted && own.isWellFormed && !own.text.contains("{"), "\(own.text)")
        #expect(DangerReplies.standard.event(answeredBy: own.text, for: listener) == SafetyEvent(kind, .stay))
        // Never the same twice in a row.
        #expect(try reply(act, last: own.text) == rote)
      }
    }
  }
}
