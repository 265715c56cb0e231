// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import RawClient
import Testing

/// What a client of petd relies on where connections and processes end.
@Suite("petd keeps what it was told")
struct DaemonFaithTests {
  private static let path = "/pet/sessions/mochi.tea"

  private static func message(_ text: String, key: String, extra: String = "") -> String {
    let body = #"{"text": "\#(text)"}"#
    return
      "POST \(path)/messages HTTP/1.1\r\nhost: pet\r\nidempotency-key: \(key)\r\n\(extra)content-length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private func say(_ text: String, key: String, to daemon: RunningDaemon) async throws -> (status: String, body: String)
  {
    let answer = try await RawClient(daemon.socket).exchange(Self.message(text, key: key))
    let parts = answer.components(separatedBy: "\r\n\r\n")
    return (String(answer.prefix { !$0.isNewline }.dropFirst(9)), parts.last ?? "")
  }

  private func turns(_ daemon: RunningDaemon) async throws -> Int? {
    let answer = try await daemon.get(Self.path)
    return answer.firstMatch(of: #/"turns":(\d+)/#).flatMap { Int($0.1) }
  }

  private func stop(_ daemon: RunningDaemon) async {
    kill(daemon.process.pid, SIGTERM)
    #expect(await daemon.process.waitBriefly() == 0)
  }

  @Test(
    "a message with a key is answered once, though its client closes the connection as soon as it is sent",
    arguments: ["", "accept: text/event-stream\r\n", "expect: 100-continue\r\n"])
  func closesAtOnce(_ extra: String) async throws {
    // On a daemon that nobody has asked anything yet, and then on one that is warm.
    let daemon = try await RunningDaemon()
    for number in 1...4 {
      let client = try RawClient(daemon.socket)
      await client.send(Self.message("Your kettle has a lid of brass.", key: "k\(number)", extra: extra))
      client.close()
      // Nothing is asked again under a key: what is counted was made for those who have gone.
      for _ in 0..<2000 {
        if try await turns(daemon) == number { break }
        try await Task.sleep(for: .milliseconds(10))
      }
      try #require(try await turns(daemon) == number, "\(daemon.log)")
    }
    let again = try await say("Your kettle has a lid of brass.", key: "k2", to: daemon)
    #expect(again.status.hasPrefix("200") && again.body.contains(#""text":""#), "\(again)")
    #expect(try await turns(daemon) == 4)
  }

  @Test("a message without a key whose client has gone leaves nothing half done, and others are served")
  func goneWithoutAKey() async throws {
    let daemon = try await RunningDaemon()
    for _ in 0..<20 {
      let client = try RawClient(daemon.socket)
      await client.send(RunningDaemon.post("\(Self.path)/messages", #"{"text": "Your kettle has a lid of brass."}"#))
      client.close()
    }
    let answer = try await daemon.post("/pet/pets/mochi/memories", #"{"text": "my name is Ada"}"#)
    #expect(answer.hasPrefix("HTTP/1.1 201"), "\(answer)")
    await stop(daemon)
    #expect(!daemon.log.contains("Fatal"))
  }

  @Test(
    "where the memories cannot be erased nothing is; what is written where no file is any more is not said to be kept")
  func forgetsAllOrNothing() async throws {
    let daemon = try await RunningDaemon()
    let added = try await daemon.post("/pet/pets/mochi/memories", #"{"text": "my name is Ada"}"#)
    #expect(added.hasPrefix("HTTP/1.1 201"), "\(added)")
    #expect(try await say("Your kettle has a lid of brass.", key: "k", to: daemon).status.hasPrefix("200"))
    let folder = daemon.home.path + "/pets/mochi"
    // No draft of the next key can be written.
    try FileManager.default.createDirectory(
      atPath: folder + "/memory.sqlite.key.new", withIntermediateDirectories: false)
    let delete = "DELETE /pet/pets/mochi/memories HTTP/1.1\r\nhost: pet\r\n\r\n"
    let refused = try await RawClient(daemon.socket).exchange(delete)
    #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains("nothing was forgotten"), "\(refused)")
    #expect(try await daemon.get("/pet/pets/mochi/memories").contains("Ada"))
    #expect(try await turns(daemon) == 1)
    #expect(access(folder + "/conversations/tea.json", F_OK) == 0)
    #expect(rmdir(folder + "/memory.sqlite.key.new") == 0)
    let forgotten = try await RawClient(daemon.socket).exchange(delete)
    #expect(forgotten.hasPrefix("HTTP/1.1 204"), "\(forgotten)")
    #expect(access(folder + "/conversations/tea.json", F_OK) != 0)

    try FileManager.default.removeItem(atPath: daemon.home.path + "/pets")
    let lost = try await daemon.post("/pet/pets/mochi/memories", #"{"text": "my name is Eve"}"#)
    #expect(lost.hasPrefix("HTTP/1.1 503") && lost.contains("removed or replaced"), "\(lost)")
    await stop(daemon)
  }

  @Test("after a restart keys are known, danger is minded, and turns whose words are kept nowhere are counted")
  func restart() async throws {
    let home: TemporaryHome
    let calm: String
    let danger: String
    let beside: String
    func dangers(_ daemon: RunningDaemon) async throws -> Int? {
      let answer = try await daemon.get("/pet/pets/mochi/statistics")
      return answer.firstMatch(of: #/"dangers":(\d+)/#).flatMap { Int($0.1) }
    }
    let counted = 1
    do {
      let daemon = try await RunningDaemon()
      home = daemon.home
      calm = try await say("Your kettle has a lid of brass.", key: "calm", to: daemon).body
      danger = try await say("I want to kill myself", key: "danger", to: daemon).body
      beside = try await say("what is your name?", key: "beside", to: daemon).body
      #expect(danger.contains(#""danger":"self_harm""#) && !beside.isEmpty, "\(danger)")
      // Told once.
      #expect(danger.contains(#""kind":"unkept""#) && !beside.contains("unkept"), "\(danger)\(beside)")
      #expect(try await say("what is your name?", key: "beside", to: daemon).body == beside)
      #expect(beside.contains(#""danger":null"#), "\(beside)")
      #expect(try await turns(daemon) == 3)
      #expect(try await dangers(daemon) == counted)
      await stop(daemon)
    }
    let folder = home.path + "/pets/mochi/conversations/"
    let sealed = try Data(contentsOf: URL(filePath: folder + "tea.json"))
    let kept = try KeptConversation.text(folder + "tea.json")
    for word in ["kill", "name?", "danger", "brass"] { #expect(sealed.range(of: Data(word.utf8)) == nil, "\(word)") }
    #expect(
      kept.contains("lid of brass") && !kept.contains("want to kill") && !kept.contains("what is your name"), "\(kept)")

    let daemon = try await RunningDaemon(in: home)
    let form = try await daemon.get(Self.path)
    for part in [#""turns":1,"#, #""unkept":{"last":"#, #""turns":2}"#] { #expect(form.contains(part), "\(form)") }
    // In another order than they came.
    #expect(try await say("I want to kill myself", key: "danger", to: daemon).body == danger)
    #expect(try await say("Your kettle has a lid of brass.", key: "calm", to: daemon).body == calm)
    let lost = try await say("what is your name?", key: "beside", to: daemon)
    #expect(lost.status.hasPrefix("409") && lost.body.contains("answer_not_kept"), "\(lost)")
    #expect(try await say("another", key: "calm", to: daemon).status.hasPrefix("400"))
    #expect(try await turns(daemon) == 1)
    // One is still stayed with.
    let state = try String(contentsOfFile: home.path + "/pets/mochi/state.json", encoding: .utf8)
    #expect(state.contains(#""watched" : "suicide""#), "\(state)")
    // What is answered once more is not counted once more.
    #expect(try await dangers(daemon) == counted)
    // Though the lines before are known nowhere, what may go on from them is not left to a model.
    let next = try await say("should I do it tonight?", key: "next", to: daemon)
    #expect(next.body.contains(#""source":"rule""#) && next.body.contains("crisis line"), "\(next)")
    // Forgetting takes the keys along.
    let forgotten = try await RawClient(daemon.socket).exchange("DELETE \(Self.path) HTTP/1.1\r\nhost: pet\r\n\r\n")
    #expect(forgotten.hasPrefix("HTTP/1.1 204"), "\(forgotten)")
    #expect(try await daemon.get(Self.path).hasPrefix("HTTP/1.1 404"))
    #expect(try await say("another", key: "calm", to: daemon).status.hasPrefix("200"))
  }

  @Test("settings that change while it runs are told, in /health, in the figures and once in the log")
  func changedSettings() async throws {
    let home = try TemporaryHome()
    let file = URL(filePath: home.path + "/config.toml")
    try Data("context = 512\n".utf8).write(to: file)
    let daemon = try await RunningDaemon(in: home)
    #expect(try await daemon.get("/health").contains(#""notices":[]"#))
    try Data("context = 1024\n".utf8).write(to: file)
    for _ in 0..<2 {
      let health = try await daemon.get("/health")
      #expect(health.hasPrefix("HTTP/1.1 200") && health.contains("config.toml changed; restart petd"), "\(health)")
    }
    #expect(try await daemon.get("/pet/figures").contains("config.toml changed"))
    #expect(daemon.log.components(separatedBy: "settings changed; restart petd").count == 2, "\(daemon.log)")
    try Data("context = 512\n".utf8).write(to: file)
    #expect(try await daemon.get("/health").contains(#""notices":[]"#))
    // A model that is refused leaves the old one, and is told.
    try Data("model = \"/etc/passwd\"\n".utf8).write(to: file)
    kill(daemon.process.pid, SIGHUP)
    try await daemon.wait(for: "not reloaded")
    let health = try await daemon.get("/health")
    #expect(health.hasPrefix("HTTP/1.1 200") && health.contains("not reloaded: "), "\(health)")
  }

  @Test("figures of what was never measured are null")
  func nothingMeasured() async throws {
    let daemon = try await RunningDaemon()
    let figures = try await daemon.get("/pet/figures")
    #expect(figures.contains(#""hit_rate":null,"prefix_rate":null"#), "\(figures)")
    let care = try await daemon.post("\(Self.path)/messages", #"{"text": "I want to kill myself"}"#)
    #expect(care.contains(#""timings":{"decode_tps":null,"prefill_tps":null,"ttft_ms":null}"#), "\(care)")
    let chat = try PetBinary.run(
      ["chat", "--incognito", "--json"], home: daemon.home.path, input: "I want to kill myself\n/stats\n")
    #expect(chat.status == 0 && chat.output.contains("the last answer took no model"), "\(chat)")
    #expect(!chat.output.contains("0 tokens/s"))
  }

  @Test("a bias for a token that is never written is told; one for another forces it")
  func biases() async throws {
    let daemon = try await RunningDaemon()
    func complete(_ bias: String) async throws -> String {
      try await daemon.post(
        "/v1/completions",
        #"{"prompt": "Once upon a", "max_tokens": 4, "temperature": 0, "logprobs": 0, "logit_bias": {\#(bias)}}"#)
    }
    let never = try await complete(#""5": 100"#)
    #expect(never.contains(#""ignored":["logit_bias.5"]"#), "\(never)")
    let banned = try await complete(#""5": -100"#)
    #expect(!banned.contains("ignored"), "\(banned)")
    let forced = try await complete(#""300": 100"#)
    let text = try #require(forced.firstMatch(of: #/"tokens":\["([^"]+)","([^"]+)","([^"]+)","([^"]+)"\]/#))
    #expect(text.1 == text.2 && text.2 == text.3 && text.3 == text.4 && !forced.contains("ignored"), "\(forced)")
  }
}
