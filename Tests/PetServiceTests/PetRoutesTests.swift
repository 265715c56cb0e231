// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOHTTP1
import PetEngine
import PetService
import Testing

@Suite("Pets over HTTP")
struct PetRoutesTests {
  private var impatient: Household.Settings {
    var settings = Household.Settings()
    settings.patience = .zero
    return settings
  }

  @Test("a conversation begins with a greeting, remembers, goes on in another daemon, and is erased with all the rest")
  func life() async throws {
    let folder: String
    do {
      let daemon = try await TestService()
      folder = daemon.folder
      let begun = try await daemon.ask(.POST, "/pet/sessions", #"{"pet": "juniper", "name": "tea"}"#)
      #expect(
        begun.status == 201 && begun.text.contains(#""id":"juniper.tea""#) && begun.text.contains("AI"), "\(begun.text)"
      )
      #expect(try await daemon.say("My name is Ottoline.", in: "juniper.tea").source == "rule")
      #expect(try await daemon.say("Your kettle has a lid of brass.", in: "juniper.tea").source == "model")
      // A pet is in one place at a time.
      #expect(try await TestService(in: folder, impatient).ask(.GET, "/pet/pets/juniper/state").status == 409)
    }
    let daemon = try await TestService(in: folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let again = try await daemon.ask(.POST, "/pet/sessions", #"{"pet": "juniper", "name": "tea"}"#)
    #expect(again.status == 200)
    #expect(again.text.contains(#""turns":2"#) && again.text.contains(#""greeting":[]"#), "\(again.text)")
    #expect(try await daemon.say("what is my name?", in: "juniper.tea").text?.contains("Ottoline") == true)
    let memories = try await daemon.ask(.GET, "/pet/pets/juniper/memories").text
    #expect(memories.contains("user's name is Ottoline"), "\(memories)")
    #expect(try await daemon.ask(.PATCH, "/pet/pets/juniper/memories/1", #"{"value": "Philippa"}"#).status == 204)
    #expect(try await daemon.say("what is my name?", in: "juniper.tea").text?.contains("Philippa") == true)
    let told = try await daemon.ask(.POST, "/pet/pets/juniper/memories", #"{"text": "I love olives"}"#)
    #expect(told.status == 201 && told.text.contains("likes olives"), "\(told.text)")
    let secret = try await daemon.ask(.POST, "/pet/pets/juniper/memories", #"{"text": "my password is xyzzy"}"#)
    #expect(secret.status == 400 && !secret.text.contains("xyzzy"), "\(secret.text)")
    let kept = try await daemon.ask(.GET, "/pet/pets/juniper/memories").text
    let longName = String(repeating: "Ada", count: 54)
    for (method, path, body) in [
      (.PATCH, "/1", #"{"value": "\#(longName)"}"#), (.POST, "", #"{"text": "my name is \#(longName)"}"#),
      (.POST, "", #"{"text": "\#(String(repeating: "x", count: 5000))"}"#),
    ] as [(HTTPMethod, String, String)] {
      let refused = try await daemon.ask(method, "/pet/pets/juniper/memories" + path, body)
      #expect(refused.status == 400 && refused.text.contains("at most"), "\(refused.text)")
    }
    #expect(try await daemon.ask(.GET, "/pet/pets/juniper/memories").text == kept)
    #expect(try await daemon.ask(.DELETE, "/pet/pets/juniper/memories/1").status == 204)
    #expect(try await daemon.ask(.DELETE, "/pet/pets/juniper/memories/1").status == 404)
    #expect(try await daemon.ask(.DELETE, "/pet/pets/juniper/memories").status == 204)
    let fresh = try await daemon.ask(.POST, "/pet/sessions", #"{"pet": "juniper", "name": "tea"}"#)
    #expect(fresh.text.contains(#""turns":0"#), "\(fresh.text)")
  }

  @Test(
    "what tells of danger is no memory, told or edited: the answer says where help is, and nobody says it again",
    arguments: [
      "I want to kill myself", "I want to die", "I took too many pills", "my husband hits me",
      "I plan to jump off a bridge on Monday", "my favourite thing is hurting myself",
    ])
  func dangerousMemory(_ text: String) async throws {
    let daemon = try await TestService()
    defer { daemon.remove() }
    let path = "/pet/pets/mochi/memories"
    let added = try await daemon.ask(.POST, path, #"{"text": "\#(text)"}"#)
    #expect(added.status == 400 && added.text.contains(#""code":"danger""#), "\(added.text)")
    #expect(added.text.contains("findahelpline.com") && added.text.contains("112"), "\(added.text)")
    #expect(!added.text.contains(text))
    #expect(try await daemon.ask(.POST, path, #"{"text": "my favourite thing is tea"}"#).status == 201)
    #expect(try await daemon.ask(.PATCH, path + "/1", #"{"value": "\#(text)"}"#).status == 400)
    #expect(try await daemon.ask(.PATCH, path + "/1", #"{"value": "killing myself"}"#).status == 400)
    #expect(try await daemon.ask(.PATCH, path + "/1", #"{"value": "coffee"}"#).status == 204)
    let kept = try await daemon.ask(.GET, path).text
    #expect(kept.contains("coffee") && !kept.contains("myself"), "\(kept)")
  }

  @Test("a store that holds words of danger is not recited")
  func dangerKept() async throws {
    let daemon = try await TestService()
    defer { daemon.remove() }
    do {
      let memory = try MemoryStore(daemon.folder + "/mochi/memory.sqlite")
      for text in ["I want to kill myself", "my name is Ottoline"] {
        try await memory.add(text, today: CivilDay(at: 1_800_000_000, offset: 0), at: 1_800_000_000)
      }
    }
    #expect(try await daemon.say("what is my name?", in: "mochi.tea").text?.contains("Ottoline") == true)
    let answer = try await daemon.say("what do I want?", in: "mochi.tea").text ?? ""
    #expect(!answer.isEmpty && !answer.contains("kill"), "\(answer)")
  }

  @Test("how often danger was minded is forgotten with all the rest; how many answers came from where is not")
  func statistics() async throws {
    let daemon = try await TestService()
    defer { daemon.remove() }
    func told() async throws -> (dangers: Int?, byRule: Int?, byCare: Int?) {
      let form = try JSONNode.object(try await daemon.ask(.GET, "/pet/pets/mochi/statistics").text)
      return (form["dangers"]?.number, form["answers"]?["rule"]?.number, form["rungs"]?["care"]?.number)
    }
    _ = try await daemon.say("I want to kill myself", in: "mochi.tea")
    #expect(try await told() == (1, 1, 1))
    #expect(try await daemon.ask(.DELETE, "/pet/pets/mochi/memories").status == 204)
    #expect(try await told() == (0, 1, 1))
  }

  @Test("events: words, then how it looks and what it does, how it fares, and all of it once more")
  func events() async throws {
    let daemon = try await TestService()
    defer { daemon.remove() }
    let stream = try await daemon.ask(
      .POST, "/pet/sessions/mochi.x/messages", #"{"text": "Your kettle has a lid of brass."}"#,
      headers: ["accept": "text/event-stream"])
    let events = stream.text.split(separator: "\n\n").map { event in
      event.split(separator: "\n").map { $0.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? "" }
    }
    let names = events.map { $0[0] }
    #expect(names.first == "token" && names.last == "done" && names.contains("emotion") && names.contains("state"))
    func field(_ event: [String], _ name: String) throws -> String? {
      try JSONDecoder().decode([String: JSONNode].self, from: Data(event[1].utf8))[name]?.text
    }
    let words = try events.filter { $0[0] == "token" }.compactMap { try field($0, "text") }.joined()
    let last = try JSONDecoder().decode([String: JSONNode].self, from: Data(try #require(events.last)[1].utf8))
    #expect(last["text"]?.text == words && !words.isEmpty)
    #expect(last["state"]?["energy"]?.number != nil && last["usage"]?["prompt_tokens"]?.number ?? 0 > 10)
  }

  @Test("care changes how it fares; danger is answered by written words")
  func care() async throws {
    let daemon = try await TestService()
    defer { daemon.remove() }
    let fed = try await daemon.ask(.POST, "/pet/pets/zest/care", #"{"action": "feed"}"#)
    #expect(fed.status == 200 && fed.text.contains(#""accepted":"#) && fed.text.contains(#""hunger":"#), "\(fed.text)")
    #expect(try await daemon.ask(.POST, "/pet/pets/zest/care", #"{"action": "explode"}"#).status == 400)
    let poison = try await daemon.ask(.POST, "/pet/pets/zest/care", #"{"action": "feed", "gift": "rat poison"}"#)
    #expect(poison.status == 400 && poison.text.contains("nothing was fed"), "\(poison.text)")
    let answer = try await daemon.say("i want to kill myself", in: "zest.y")
    #expect(answer.source == "rule" && answer.text?.contains("call") == true)
  }

  @Test(
    "what is not there, or makes no sense, is refused",
    arguments: [
      ("POST", "/pet/sessions", #"{"pet": "godzilla"}"#, 404), ("POST", "/pet/sessions", #"{"name": "../x"}"#, 400),
      ("POST", "/pet/sessions/mochi/messages", #"{"text": "x"}"#, 404),
      ("POST", "/pet/sessions/mochi.x/messages", "{}", 400),
      ("POST", "/pet/sessions/mochi.a%20b/messages", #"{"text": "x"}"#, 400),
      ("GET", "/pet/pets/godzilla/state", "", 404), ("DELETE", "/pet/pets/mochi/memories/x", "", 404),
      ("PATCH", "/pet/pets/mochi/memories/7", #"{"value": "x"}"#, 404),
    ])
  func refused(_ method: String, _ path: String, _ body: String, _ status: UInt) async throws {
    let daemon = try await TestService()
    defer { daemon.remove() }
    let answer = try await daemon.ask(HTTPMethod(rawValue: method), path, body)
    #expect(answer.status == status && answer.text.contains(#""error":"#), "\(answer.text)")
  }

  @Test("a token that is bound to a pet opens that pet and its conversations, and nothing else")
  func boundToken() async throws {
    let service = try await TestService()
    defer { service.remove() }
    func status(_ method: HTTPMethod, _ path: String, _ token: String = "fedcba9876543210") async throws -> UInt {
      try await service.respond(
        method, path, "{}", headers: ["host": "127.0.0.1:8080", "authorization": "Bearer \(token)"],
        transport: .loopback(port: 8080)
      ).status.code
    }
    #expect(try await status(.GET, "/pet/pets/mochi/state") == 200)
    #expect(try await status(.GET, "/pet/pets/mochi/memories") == 200)
    #expect(try await status(.PUT, "/pet/sessions/mochi.tea") == 200)
    #expect(try await status(.GET, "/health") == 200)
    let others: [(HTTPMethod, String)] = [
      (.GET, "/pet/pets/tofu/memories"), (.DELETE, "/pet/pets/tofu/memories"), (.PUT, "/pet/sessions/tofu.tea"),
      (.POST, "/pet/sessions"), (.GET, "/pet/pets"), (.GET, "/v1/models"), (.POST, "/v1/chat/completions"),
      (.GET, "/metrics"), (.POST, "/pet/models/unload"), (.PUT, "/pet/sessions/mochi"), (.GET, "/pet/figures"),
    ]
    for (method, path) in others { #expect(try await status(method, path) == 403, "\(method) \(path)") }
    #expect(try await status(.GET, "/pet/pets/tofu/memories", "0123456789abcdef") == 200)
  }
}
