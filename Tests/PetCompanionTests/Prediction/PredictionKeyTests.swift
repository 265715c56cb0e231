// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("The key of a request")
struct PredictionKeyTests {
  private static let base = PredictionRequest(
    model: [1, 2], persona: "mochi", personaVersion: "1", promptFormat: 1, ledger: [1, 2, 3],
    message: "hi", allowedActions: [.purr, .jump],
    options: PredictionOptions(
      temperature: 0.5, stopStrings: ["a", "b"], flags: [4], flagThreshold: 0.5))

  private static func changed(_ change: (inout PredictionRequest) -> Void) -> PredictionRequest {
    var request = base
    change(&request)
    return request
  }

  @Test("any one field makes another key, and so does a byte that moves to the next field")
  func fields() {
    let requests: [PredictionRequest] = [
      Self.base,
      Self.changed { $0.model = [1, 3] }, Self.changed { $0.model = [1] }, Self.changed { $0.model = [] },
      Self.changed { $0.persona = "moch" }, Self.changed { ($0.persona, $0.personaVersion) = ("mochi1", "") },
      Self.changed { ($0.persona, $0.personaVersion) = ("", "mochi1") }, Self.changed { $0.personaVersion = "2" },
      Self.changed { $0.promptFormat = 2 }, Self.changed { $0.ledger = [1, 2] },
      Self.changed { $0.ledger = [1, 3, 2] },
      Self.changed { $0.ledger = [] }, Self.changed { $0.ledger = [1, 2, 3, 0] },
      Self.changed { $0.ledger = [1, 2, -3] },
      Self.changed { $0.message = "hi " }, Self.changed { $0.message = "Hi" }, Self.changed { $0.message = "" },
      Self.changed { $0.message = "e\u{301}" }, Self.changed { $0.message = "\u{E9}" },
      Self.changed { $0.allowedActions = [.purr] }, Self.changed { $0.allowedActions = [] },
      Self.changed { $0.options.temperature = 0.6 }, Self.changed { $0.options.temperature = 0 },
      Self.changed { $0.options.topK = 1 }, Self.changed { $0.options.topP = 1 }, Self.changed { $0.options.minP = 0 },
      Self.changed { $0.options.seed = 1 }, Self.changed { $0.options.repetitionPenalty = 1.1 },
      Self.changed { $0.options.frequencyPenalty = 1 }, Self.changed { $0.options.presencePenalty = 1 },
      Self.changed { $0.options.logitBias = [7: 1] }, Self.changed { $0.options.logitBias = [8: 1] },
      Self.changed { $0.options.logitBias = [7: 2] }, Self.changed { $0.options.repetitionWindow = 1 },
      Self.changed { $0.options.maximumTokens = 1 },
      Self.changed { $0.options.stopStrings = ["ab"] }, Self.changed { $0.options.stopStrings = ["a", "b", ""] },
      Self.changed { $0.options.stopStrings = [] }, Self.changed { $0.options.stopsAtEnd = false },
      Self.changed { $0.options.stopsAtLoop = true },
      Self.changed { $0.options.flags = [] },
      Self.changed { $0.options.flags = [4, 5] }, Self.changed { $0.options.flagThreshold = 1 },
    ]
    #expect(Set(requests.map(\.key)).count == requests.count)
    #expect(Self.base.key == Self.changed { _ in }.key)
  }

  @Test("what changes no answer changes no key: the order of actions, and the seed where nothing is drawn")
  func sameAnswer() {
    #expect(Self.base.key == Self.changed { $0.allowedActions = [.jump, .purr, .jump] }.key)
    let greedy = Self.changed { $0.options.temperature = 0 }
    let other = Self.changed {
      $0.options.temperature = 0
      ($0.options.seed, $0.options.topK, $0.options.topP, $0.options.minP) = (9, 1, 0.1, 0.5)
    }
    #expect(greedy.key == other.key)
  }

  @Test("numbers that are none have a key too")
  func notNumbers() {
    let odd = Self.changed { ($0.options.temperature, $0.options.topP) = (.nan, .infinity) }
    #expect(odd.key == odd.key && odd.key != Self.base.key)
  }
}
