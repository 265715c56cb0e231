// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import PetService
import Testing
import WritingGate

@Suite("Answers that are under way", .timeLimit(.minutes(1)))
struct UnderWayTests {
  /// A service whose model can be kept from writing.
  private final class HeldService: Sendable {
    let service: TestService
    let gate = WritingGate()

    init() async throws {
      var options = LanguageModel.LoadOptions(threadCount: 1, contextLength: 512)
      options.observer = gate.observer
      service = try await TestService(loader: .language(.builtIn(name: "nano-v6.gguf"), options))
    }

    func hold() async {
      await gate.close { [language = service.models.language] onText in
        _ = try await language.use { try await $0.complete("Once", .greedy(maximumTokens: 40), onText: onText) }
      }
    }

    /// A message with the key `k`, which has come to the model and waits there.
    func underWay(_ line: String) async -> Task<(source: String?, text: String?), any Error> {
      await hold()
      let asked = gate.nextRequest()
      let answer = Task { [service] in try await service.say(line, in: "mochi.tea", key: "k") }
      for await _ in asked {}
      return answer
    }

    func turns(of session: String) async throws -> Int? {
      try JSONNode.object(try await service.ask(.GET, "/pet/sessions/\(session)").text)["turns"]?.number
    }
  }

  private let line = "Your kettle has a lid of brass."

  @Test("who goes need not wait for the end of an answer, their own or another's; one with a key is made all the same")
  func gone() async throws {
    let held = try await HeldService()
    let service = held.service
    defer { service.remove() }
    defer { held.gate.open() }
    let keyed = await held.underWay(line)
    let again = Task { [line] in try await service.say(line, in: "mochi.tea", key: "k") }
    let next = Task { try await service.say("hello", in: "mochi.tea") }
    for task in [keyed, again, next] {
      task.cancel()
      #expect(try await task.value.text == nil)
    }
    #expect(try await held.turns(of: "mochi.tea") == 0)
    held.gate.open()
    #expect(try await service.say(line, in: "mochi.tea", key: "k").text?.isEmpty == false)
    #expect(try await held.turns(of: "mochi.tea") == 1)
  }

  @Test("what is under way when there is no more time ends, is kept nowhere, and can be asked for anew")
  func brokenOff() async throws {
    let held = try await HeldService()
    let service = held.service
    defer { service.remove() }
    defer { held.gate.open() }
    let answer = await held.underWay(line)
    await service.household.breakOff()
    held.gate.open()
    #expect(try await answer.value.text == nil)
    #expect(try await held.turns(of: "mochi.tea") == 0)
    #expect(try await service.say(line, in: "mochi.tea", key: "k").text?.isEmpty == false)
    #expect(try await held.turns(of: "mochi.tea") == 1)
  }

  @Test("so many messages with a key may wait, and no more")
  func crowded() async throws {
    let held = try await HeldService()
    let service = held.service
    defer { service.remove() }
    await held.hold()
    defer { held.gate.open() }
    @Sendable func status(_ text: String, _ key: String) async throws -> UInt {
      try await service.ask(
        .POST, "/pet/sessions/mochi.tea/messages", #"{"text": "\#(text)"}"#, headers: ["idempotency-key": key]
      ).status
    }
    let asked = held.gate.nextRequest()
    let first = Task { [line] in try await status(line, "first") }
    for await _ in asked {}
    let statuses: [UInt] = try await withThrowingTaskGroup(of: UInt.self) { group in
      for number in 0..<16 { group.addTask { try await status("hello", "\(number)") } }
      var statuses: [UInt] = []
      // Who is refused is told at once.
      if let refused = try await group.next() { statuses.append(refused) }
      held.gate.open()
      for try await answered in group { statuses.append(answered) }
      return statuses
    }
    #expect(statuses.first == 429 && statuses.dropFirst().allSatisfy { $0 == 200 })
    #expect(try await first.value == 200)
  }

  @Test(
    "an answer that is under way when its conversation is deleted, or everything is forgotten, is kept nowhere",
    arguments: ["/pet/sessions/mochi.tea", "/pet/pets/mochi/memories"])
  func forgotten(_ path: String) async throws {
    let held = try await HeldService()
    let service = held.service
    defer { service.remove() }
    #expect(try await service.ask(.PUT, "/pet/sessions/mochi.tea").status == 200)
    // Whoever listens holds the conversation.
    let listening = try await service.respond(.GET, "/pet/sessions/mochi.tea/events?initiatives=false")
    defer { held.gate.open() }
    let answer = await held.underWay(line)
    #expect(try await service.ask(.DELETE, path).status == 204)
    held.gate.open()
    #expect(try await answer.value.text != nil)
    #expect(try await held.turns(of: "mochi.tea") == 0)
    #expect(!FileManager.default.fileExists(atPath: service.folder + "/mochi/conversations/tea.json"))
    // Its key is forgotten, too.
    _ = try await service.say(line, in: "mochi.tea", key: "k")
    #expect(try await held.turns(of: "mochi.tea") == 1)
    withExtendedLifetime(listening) {}
  }
}
