// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import PetService
import Testing

@Suite("Conversations and those who hold them")
struct SessionLifeTests {
  @Test("a message that is sent twice at once under one key is answered once")
  func atOnce() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let line = "Your kettle has a lid of brass."
    let texts = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<4 { group.addTask { try await service.say(line, in: "mochi.tea", key: "k").text } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(texts).count == 1 && texts[0] != nil, "\(texts)")
    #expect(try await service.ask(.GET, "/pet/sessions/mochi.tea").text.contains(#""turns":1"#))
  }

  @Test("a message with a key is answered to its end though its sender goes; one without is broken off")
  func gone() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let keyed = Task { try await service.say("Your kettle has a lid of brass.", in: "mochi.tea", key: "k") }
    keyed.cancel()
    _ = try? await keyed.value
    let again = try await service.say("Your kettle has a lid of brass.", in: "mochi.tea", key: "k")
    #expect(again.text?.isEmpty == false)
    #expect(try await service.ask(.GET, "/pet/sessions/mochi.tea").text.contains(#""turns":1"#))
  }

  @Test("what was said is told again, in words and looks; a conversation that is deleted begins anew")
  func exchanges() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let said = try await service.say("Your kettle has a lid of brass.", in: "zest.tea").text
    let form = try JSONNode.object(try await service.ask(.GET, "/pet/sessions/zest.tea").text)
    let exchange = try #require(form["exchanges"]?.items.first)
    #expect(exchange["user"]?.text == "Your kettle has a lid of brass." && exchange["reply"]?["text"]?.text == said)
    #expect(exchange["reply"]?["emotion"]?.text != nil && form["pet_name"]?.text == "Zest")
    #expect(try await service.ask(.DELETE, "/pet/sessions/zest.tea").status == 204)
    #expect(try await service.ask(.GET, "/pet/sessions/zest.tea").status == 404)
    #expect(try await service.ask(.PUT, "/pet/sessions/zest.tea").text.contains(#""turns":0"#))
    #expect(!FileManager.default.fileExists(atPath: service.folder + "/zest/conversations/zest.tea.json"))
  }

  @Test("a conversation that is kept nowhere is on no disk, is held by who listens, and goes when nobody does")
  func passing() async throws {
    var settings = Household.Settings()
    settings.lease = .seconds(1)
    let service = try await TestService(settings)
    defer { service.remove() }
    #expect(try await service.ask(.POST, "/pet/sessions", #"{"kept": false, "name": "x"}"#).status == 400)
    let begun = try await service.ask(.POST, "/pet/sessions", #"{"kept": false}"#)
    let id = try #require(try JSONNode.object(begun.text)["id"]?.text)
    #expect(begun.status == 201 && id.hasPrefix("mochi.~"))
    let held = try await service.respond(.GET, "/pet/sessions/\(id)/events?initiatives=false")
    _ = try await service.say("Your kettle has a lid of brass.", in: id)
    try await Task.sleep(for: .milliseconds(2500))
    #expect(try await service.ask(.GET, "/pet/sessions/\(id)").text.contains(#""turns":1"#))
    withExtendedLifetime(held) {}
    let names = (try? FileManager.default.contentsOfDirectory(atPath: service.folder + "/mochi/conversations")) ?? []
    #expect(names.isEmpty)
    // No other may have such a name.
    #expect(try await service.ask(.PUT, "/pet/sessions/tofu.~1").status == 404)
  }

  @Test("how closely danger is minded is one conversation's own, and is written nowhere of one that is kept nowhere")
  func danger() async throws {
    func told(_ text: String, in session: String, of service: TestService) async throws -> String? {
      let answer = try await service.ask(.POST, "/pet/sessions/\(session)/messages", #"{"text": "\#(text)"}"#)
      return try JSONNode.object(answer.text)["danger"]?.text
    }
    let folder = try await TestService().folder
    func kept() throws -> String { try String(contentsOfFile: folder + "/mochi/state.json", encoding: .utf8) }
    do {
      let service = try await TestService(in: folder)
      let begun = try await service.ask(.POST, "/pet/sessions", #"{"kept": false}"#)
      let id = try #require(try JSONNode.object(begun.text)["id"]?.text)
      #expect(try await told("I want to kill myself", in: id, of: service) == "self_harm")
      #expect(!(try kept().contains("self_harm")))
      #expect(try await service.ask(.GET, "/pet/pets/mochi/statistics").text.contains(#""dangers":1"#))
      // What it said next is no danger by itself, and another conversation knows nothing of it.
      #expect(try await told("what is 2+2?", in: id, of: service) == nil)
      #expect(try await told("what is 2+2?", in: "mochi.tea", of: service) == nil)
      #expect(try await service.say("what is 2+2?", in: "mochi.tea").text?.contains("4") == true)
      #expect(try await service.ask(.DELETE, "/pet/sessions/\(id)").status == 204)
      #expect(!(try kept().contains("self_harm")))
      // One that is kept is stayed with in another daemon too, until it is deleted.
      #expect(try await told("I want to kill myself", in: "mochi.walks", of: service) == "self_harm")
      #expect(try kept().contains("watched"))
    }
    let service = try await TestService(in: folder)
    defer { service.remove() }
    #expect(try await service.say("tell me a joke", in: "mochi.tea").source != nil)
    #expect(try kept().contains("watched"))
    #expect(try await service.ask(.DELETE, "/pet/sessions/mochi.walks").status == 204)
    #expect(!(try kept().contains("watched")))
  }

  @Test("a conversation that somebody holds is there, however many others are opened")
  func crowded() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let begun = try await service.ask(.POST, "/pet/sessions", #"{"kept": false}"#)
    let id = try #require(try JSONNode.object(begun.text)["id"]?.text)
    let held = try await service.respond(.GET, "/pet/sessions/\(id)/events?initiatives=false")
    for number in 0..<65 { #expect(try await service.ask(.PUT, "/pet/sessions/mochi.\(number)").status == 200) }
    #expect(try await service.ask(.GET, "/pet/sessions/\(id)").status == 200)
    withExtendedLifetime(held) {}
  }
}
