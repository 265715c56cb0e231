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
    #expect(try await service.ask(.GET, "/pet/sessions/zest.tea").text.contains(#""turns":0"#))
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

  @Test("a conversation that somebody holds is there, however many others are opened")
  func crowded() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let begun = try await service.ask(.POST, "/pet/sessions", #"{"kept": false}"#)
    let id = try #require(try JSONNode.object(begun.text)["id"]?.text)
    let held = try await service.respond(.GET, "/pet/sessions/\(id)/events?initiatives=false")
    for number in 0..<65 { #expect(try await service.ask(.GET, "/pet/sessions/mochi.\(number)").status == 200) }
    #expect(try await service.ask(.GET, "/pet/sessions/\(id)").status == 200)
    withExtendedLifetime(held) {}
  }
}
