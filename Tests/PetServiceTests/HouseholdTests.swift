// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import PetService
import Testing

@Suite("Pets that several daemons share")
struct HouseholdTests {
  private func settings(lease: Duration, patience: Duration = .seconds(20)) -> Household.Settings {
    var settings = Household.Settings()
    (settings.lease, settings.patience) = (lease, patience)
    return settings
  }

  @Test("a daemon gives a pet back when nobody comes, and another that waits for it goes on with its conversations")
  func lease() async throws {
    let first = try await TestService(settings(lease: .milliseconds(300)))
    defer { first.remove() }
    let second = try await TestService(in: first.folder, settings(lease: .seconds(3600)))
    #expect(try await first.say("My name is Ottoline.", in: "mochi-ada.tea").source == "rule")
    // Within the lease it waits; then the pet is here.
    #expect(try await second.say("what is my name?", in: "mochi-ada.tea").text?.contains("Ottoline") == true)
    #expect(try await second.ask(.GET, "/pet/sessions/mochi-ada.tea").text.contains(#""turns":2"#))
    // Another home of the same kind of pet knows nothing of it.
    #expect(try await first.ask(.GET, "/pet/pets/mochi-bob/memories").text == #"{"data":[]}"#)
  }

  @Test("a pet that another daemon keeps is refused after a while, with the time to ask again")
  func kept() async throws {
    let first = try await TestService(settings(lease: .seconds(3600)))
    defer { first.remove() }
    #expect(try await first.ask(.PUT, "/pet/sessions/tofu.tea").status == 200)
    let second = try await TestService(in: first.folder, settings(lease: .seconds(3600), patience: .milliseconds(60)))
    let refused = try await second.respond(.GET, "/pet/pets/tofu/state")
    #expect(refused.status.code == 409 && refused.headers.first(name: "retry-after") != nil)
  }

  @Test("as many pets are here as may be: who is with nobody makes room for another; where nobody is, it is refused")
  func mostPets() async throws {
    var few = settings(lease: .seconds(3600))
    few.mostPets = 2
    let service = try await TestService(few)
    defer { service.remove() }
    func state(_ pet: String, _ service: TestService) async throws -> UInt {
      try await service.ask(.PUT, "/pet/sessions/\(pet).tea").status
    }
    for pet in ["mochi-a", "mochi-b", "mochi-c"] { #expect(try await state(pet, service) == 200) }
    let other = try await TestService(in: service.folder, settings(lease: .seconds(3600), patience: .zero))
    #expect(try await state("mochi-a", other) == 200)
    #expect(try await state("mochi-c", other) == 409)
    do {
      let held = [
        try await service.respond(.GET, "/pet/pets/mochi-b/events"),
        try await service.respond(.GET, "/pet/sessions/mochi-c.tea/events?initiatives=false"),
      ]
      #expect(try await state("mochi-d", service) == 429)
      withExtendedLifetime(held) {}
    }
    #expect(try await state("mochi-d", service) == 200)
  }

  @Test("a message that is sent again under its key is answered again, and counts once; also elsewhere")
  func receipts() async throws {
    let first = try await TestService(settings(lease: .milliseconds(100)))
    defer { first.remove() }
    let line = "Your kettle has a lid of brass."
    let once = try await first.say(line, in: "mochi.tea", key: "a1")
    #expect(once.source == "model")
    #expect(try await first.say(line, in: "mochi.tea", key: "a1").text == once.text)
    let second = try await TestService(in: first.folder, settings(lease: .seconds(3600)))
    #expect(try await second.say(line, in: "mochi.tea", key: "a1").text == once.text)
    #expect(try await second.ask(.GET, "/pet/sessions/mochi.tea").text.contains(#""turns":1"#))
    let streamed = try await second.ask(
      .POST, "/pet/sessions/mochi.tea/messages", #"{"text": "\#(line)"}"#,
      headers: ["idempotency-key": "a1", "accept": "text/event-stream"])
    let text = try #require(once.text)
    #expect(streamed.text.hasPrefix("event: token\ndata: {\"text\":") && streamed.text.contains("event: done\n"))
    let pieces = try streamed.text.components(separatedBy: "\n\n").filter { $0.hasPrefix("event: token") }
      .map { try JSONNode.object(String($0.dropFirst("event: token\ndata: ".count)))["text"]?.text ?? "" }
    #expect(pieces == [text])
    #expect(
      try await second.ask(
        .POST, "/pet/sessions/mochi.tea/messages", #"{"text": "x"}"#, headers: ["idempotency-key": "a1"]
      ).status == 400)
    _ = try await second.say(line, in: "mochi.tea", key: "a2")
    _ = try await second.say(line, in: "mochi.tea")
    #expect(try await second.ask(.GET, "/pet/sessions/mochi.tea").text.contains(#""turns":3"#))
    let long = String(repeating: "k", count: 65)
    #expect(
      try await second.ask(
        .POST, "/pet/sessions/mochi.tea/messages", #"{"text": "x"}"#, headers: ["idempotency-key": long]
      ).status == 400)
  }

  @Test(
    "names that are none",
    arguments: ["mochi-", "mochi-a b", "godzilla", "-ada", "mochi-%C3%A9", "mochi-..%2Fx", "MOCHI"])
  func names(_ name: String) async throws {
    let service = try await TestService()
    defer { service.remove() }
    #expect((400..<500).contains((try? await service.ask(.GET, "/pet/pets/\(name)/state").status) ?? 400))
    #expect(!FileManager.default.fileExists(atPath: service.folder))
  }

  @Test("conversations are opened again by their name, with a greeting only before the first turn")
  func put() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let opened = try await service.ask(.PUT, "/pet/sessions/juniper.tea")
    #expect(opened.status == 200 && opened.text.contains(#""turns":0"#) && opened.text.contains("AI"), "\(opened.text)")
    _ = try await service.say("hello", in: "juniper.tea")
    #expect(try await service.ask(.PUT, "/pet/sessions/juniper.tea").text.contains(#""greeting":[]"#))
    #expect(try await service.ask(.PUT, "/pet/sessions/juniper").status == 404)
  }

  @Test("who looks makes nothing, and what is refused makes nothing either")
  func looking() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let fresh = try await service.ask(.GET, "/pet/pets/mochi/state")
    #expect(fresh.status == 200)
    #expect(try await service.ask(.GET, "/pet/pets/mochi/memories").text == #"{"data":[]}"#)
    #expect(try await service.ask(.GET, "/pet/pets/mochi/statistics").text.contains(#""answers":{}"#))
    for path in ["/pet/pets/mochi/events", "/pet/sessions/mochi.tea", "/pet/sessions/mochi.tea/events"] {
      #expect(try await service.ask(.GET, path).status == 404, "\(path)")
      #expect(try await service.ask(.HEAD, path).status == 404, "\(path)")
    }
    #expect(try await service.ask(.DELETE, "/pet/sessions/mochi.tea").status == 204)
    #expect(try await service.ask(.DELETE, "/pet/pets/mochi/memories").status == 204)
    #expect(try await service.ask(.DELETE, "/pet/pets/mochi/memories/1").status == 404)
    #expect(try await service.ask(.PATCH, "/pet/pets/mochi/memories/1", #"{"value": "x"}"#).status == 404)
    #expect(try await service.ask(.PUT, "/pet/sessions/mochi.a%20b").status == 400)
    for text in ["", "  \\n", "\\u200b", "\\u0007"] {
      let blank = try await service.ask(.POST, "/pet/sessions/mochi.tea/messages", #"{"text": "\#(text)"}"#)
      #expect(blank.status == 400 && blank.text.contains(#""param":"text""#), "\(blank.text)")
    }
    let blankKey = try await service.ask(
      .POST, "/pet/sessions/mochi.tea/messages", #"{"text": "hello"}"#, headers: ["idempotency-key": " "])
    #expect(blankKey.status == 400 && blankKey.text.contains("Idempotency-Key"), "\(blankKey.text)")
    let twoKeys = try await service.ask(
      .POST, "/pet/sessions/mochi.tea/messages", #"{"text": "hello"}"#,
      headers: ["idempotency-key": "a", "idempotency-key": "b"])
    #expect(twoKeys.status == 400 && twoKeys.text.contains("several keys"), "\(twoKeys.text)")
    let coded = try await service.ask(
      .POST, "/pet/sessions/mochi.tea/messages", "x", headers: ["content-encoding": "gzip"])
    #expect(coded.status == 415 && coded.text.contains("Content-Encoding"), "\(coded.text)")
    #expect(!FileManager.default.fileExists(atPath: service.folder + "/mochi"))
    #expect(try await service.ask(.PUT, "/pet/sessions/mochi.tea").status == 200)
    #expect(try await service.ask(.GET, "/pet/sessions/mochi.tea").status == 200)
    #expect(try await service.ask(.GET, "/pet/sessions/mochi.walks").status == 404)
    // A pet as it will be is the pet as it then is.
    #expect(try await service.ask(.GET, "/pet/pets/mochi/state").text == fresh.text)
  }

  @Test("no memory ever has the number that another had, also once everything was forgotten")
  func numbers() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let path = "/pet/pets/mochi/memories"
    func add(_ text: String) async throws -> Int {
      let answer = try await service.ask(.POST, path, #"{"text": "\#(text)"}"#)
      return try #require(try JSONNode.object(answer.text)["data"]?.items.last?["id"]?.number, "\(answer.text)")
    }
    let (first, second) = (try await add("I love olives"), try await add("I love tea"))
    #expect(try await service.ask(.DELETE, "\(path)/\(second)").status == 204)
    let third = try await add("I love soup")
    #expect(first < second && second < third)
    #expect(try await service.ask(.DELETE, path).status == 204)
    let fourth = try await add("I love rain")
    #expect(fourth > third)
    #expect(try await service.ask(.DELETE, "\(path)/\(third)").status == 404)
  }
}
