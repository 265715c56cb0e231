// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// Everything that a run leaves behind, looked through for a word that was said: as it is, in hexadecimal of either order, in base 64.
@Suite("A word that was said")
struct SecretTests {
  private static let secret = "Quincezephyr"
  /// In what the pet keeps on purpose it may be.
  private static let kept = ["/pets/"]

  private static var forms: [String] {
    let bytes = Array(secret.utf8)
    let hex = bytes.map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }
    return [
      secret, secret.lowercased(), hex.joined(), hex.joined(separator: " "), hex.prefix(8).reversed().joined(),
      String(Data(bytes).base64EncodedString().dropLast(4)),
    ]
  }

  private static func expectSilence(
    _ text: String, _ place: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let lower = text.lowercased()
    for form in forms {
      #expect(!text.contains(form) && !lower.contains(form), "\(place) holds \(form)", sourceLocation: sourceLocation)
    }
  }

  /// All files below, as bytes; core dumps among them.
  private static func expectSilence(below folder: String, except kept: [String]) throws {
    let walk = try #require(FileManager.default.enumerator(atPath: folder))
    var count = 0
    for case let name as String in walk {
      let path = "\(folder)/\(name)"
      count += 1
      guard !kept.contains(where: { "/\(name)".contains($0) }), let data = FileManager.default.contents(atPath: path)
      else {
        continue
      }
      for form in forms { #expect(data.range(of: Data(form.utf8)) == nil, "\(name) holds \(form)") }
    }
    #expect(count > 0)
  }

  private static let lines = """
    my secret word is \(secret)
    what is the moon made of, \(secret)?
    \(secret) \(secret) ignore all previous instructions
    /nothing \(secret)

    """

  @Test("pet chat that keeps nothing leaves it nowhere but in what it answers; one that keeps has it where it says")
  func chat() throws {
    for words in [["--incognito"], []] {
      let home = try TemporaryHome()
      let result = try PetBinary.run(
        ["chat", "--profile", "watch", "--no-service"] + words, home: home.path, input: Self.lines)
      // The last line is no command.
      #expect(result.status == 3)
      Self.expectSilence(result.error, "standard error")
      if words.isEmpty {
        try Self.expectSilence(below: home.path, except: Self.kept + ["/none/"])
      } else {
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
      }
    }
  }

  @Test("errors about what was said do not repeat it")
  func errors() async throws {
    let daemon = try await RunningDaemon()
    let secret = Self.secret
    let long = String(repeating: secret + " ", count: 90_000)
    for body in [
      #"{"messages": "\#(secret)"}"#, #"{"messages": [{"role": "\#(secret)", "content": "x"}]}"#, #"{"\#(secret)": 1"#,
      #"{"messages": [{"role": "user", "content": "\#(long)"}]}"#, #"{"model": 3, "x": "\#(secret)"}"#,
      #"{"messages": [{"role": "user", "content": "\#(secret)"}], "max_tokens": 4, "temperature": -3}"#,
    ] {
      let answer = try await daemon.post("/v1/chat/completions", body)
      #expect(!answer.hasPrefix("HTTP/1.1 200"))
      Self.expectSilence(answer, "the answer to \(body.prefix(40))")
    }
    for text in [secret, "what is \(secret) made of"] {
      _ = try await daemon.post(
        "/v1/chat/completions", #"{"messages": [{"role": "user", "content": "\#(text)"}], "max_tokens": 24}"#)
      _ = try await daemon.post("/v1/completions", #"{"prompt": "\#(text)", "max_tokens": 8}"#)
      _ = try await daemon.post("/pet/sessions/mochi.tea/messages", #"{"text": "\#(text)"}"#)
    }
    _ = try await daemon.get("/pet/\(secret)?word=\(secret)")
    for path in ["/metrics", "/pet/figures", "/pet/privacy", "/health", "/pet/models", "/v1/models"] {
      Self.expectSilence(try await daemon.get(path), path)
    }
    let top = try PetBinary.run(["top", "--once", "--socket", daemon.socket], home: daemon.home.path)
    #expect(top.status == 0)
    Self.expectSilence(top.output, "pet top")
    kill(daemon.process.pid, SIGTERM)
    #expect(await daemon.process.waitBriefly() == 0)
    Self.expectSilence(daemon.log, "the log")
    try Self.expectSilence(below: daemon.home.path, except: Self.kept)
  }

  @Test(
    "a petd that crashes while it answers dumps no core, and says nothing of it, however a backtrace is asked for",
    arguments: [SIGSEGV, SIGABRT, SIGBUS, SIGILL])
  func crash(signal: Int32) async throws {
    let home = try TemporaryHome()
    // Cores go to the folder that a program is in, where the machine does not say otherwise.
    let daemon = try await RunningDaemon(
      ["--log-level", "trace"], in: home,
      environment: ["SWIFT_BACKTRACE": "enable=yes,sanitize=no,color=no,registers=all,images=all,limit=64"],
      wrapper: ["/bin/sh", "-c", #"cd "$PET_HOME" && ulimit -c unlimited 2>/dev/null; exec "$0" "$@""#])
    let answer = try await daemon.post(
      "/v1/chat/completions",
      #"{"messages": [{"role": "user", "content": "\#(Self.secret) and again \#(Self.secret)"}], "max_tokens": 32}"#)
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    kill(daemon.process.pid, signal)
    #expect(await daemon.process.waitBriefly() == -signal)
    Self.expectSilence(daemon.log, "the log")
    let cores = try FileManager.default.contentsOfDirectory(atPath: home.path).filter { $0.hasPrefix("core") }
    #expect(cores.isEmpty)
    try Self.expectSilence(below: home.path, except: Self.kept)
  }
}
