// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import PetEngine
import Testing

/// Before a word is sent it is known who answers, and a chat through petd is as sealed as one alone.
@Suite("Who answers")
struct WhoAnswersTests {
  private static let outlook = PrivacyOutlook.read()
  /// A petd of somebody else.
  private static let stranger: UInt32 = 65_534
  /// Who is neither root nor the stranger.
  private static let third: UInt32 = 65_533

  private static func words(_ user: UInt32) -> [String] {
    ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--inh-caps=-all"]
  }

  /// Root may be anybody, who may not read every folder of root's.
  private static var canBeOthers: Bool {
    guard geteuid() == 0, access("/usr/bin/setpriv", X_OK) == 0 else { return false }
    return (try? run(words(stranger) + [PetBinary.path, "--version"], home: "/"))?.status == 0
  }

  private static func run(_ words: [String], home: String, input: String = "") throws -> PetBinary.Result {
    try PetBinary.run(
      executable: words[0], Array(words.dropFirst()), environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home],
      input: input)
  }

  /// Commands that talk with petd, with words in them that nobody else may hear.
  private static let commands: [(words: [String], input: String)] = [
    (["chat"], "Your kettle has a lid of brass.\n"), (["chat", "--session", "tea"], "/state\n"),
    (["complete", "--prompt", "Your kettle"], ""), (["top"], ""), (["top", "--json"], ""), (["privacy"], ""),
  ]

  private func expectRefusal(
    _ result: PetBinary.Result, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.status == 3 && result.output.isEmpty, "\(result)", sourceLocation: sourceLocation)
    #expect(result.error.count { $0 == "\n" } == 1, "\(result)", sourceLocation: sourceLocation)
    for word in words { #expect(result.error.contains(word), "\(result)", sourceLocation: sourceLocation) }
  }

  @Test("another user's petd is told nothing, by root and by others", .enabled(if: canBeOthers))
  func anothers() async throws {
    let other = try TemporaryHome()
    #expect(chown(other.path, Self.stranger, Self.stranger) == 0 && chmod(other.path, 0o755) == 0)
    // In a folder where everybody may put one.
    let socket = FileManager.default.temporaryDirectory.path + "/pet-stranger-\(UUID().uuidString.prefix(8)).sock"
    defer { unlink(socket) }
    let daemon = try await RunningDaemon(["--socket", socket], in: other, wrapper: Self.words(Self.stranger))
    #expect(chmod(socket, 0o666) == 0)
    let (home, thirds) = (try TemporaryHome(), try TemporaryHome())
    #expect(chown(thirds.path, Self.third, Self.third) == 0)
    for (words, input) in Self.commands {
      let call = words + ["--socket", socket]
      expectRefusal(
        try PetBinary.run(call, home: home.path, input: input), "user 65534 listens there, not you", "told nothing")
      let third = Self.words(Self.third) + [PetBinary.path] + call
      expectRefusal(try Self.run(third, home: thirds.path, input: input), "user 65534 listens there, not you")
    }
    #expect(!daemon.log.contains("] request"), "\(daemon.log)")
    // Nor where it lies in the usual place of the person's home.
    #expect(symlink(socket, home.path + "/petd.sock") == 0)
    for (words, input) in Self.commands {
      expectRefusal(try PetBinary.run(words, home: home.path, input: input), "user 65534 listens there, not you")
    }
    #expect(!daemon.log.contains("] request"), "\(daemon.log)")
    // Its owner talks with it, and root in its owner's home.
    for user in [Self.stranger, 0] {
      let call = (user == 0 ? ["/usr/bin/env"] : Self.words(user)) + [PetBinary.path, "top", "--socket", socket]
      let result = try Self.run(call, home: other.path)
      #expect(result.status == 0 && result.output.contains("pet-nano"), "\(result)")
    }
    #expect(daemon.log.contains("] request"), "\(daemon.log)")
  }

  @Test("a token that cannot be handed over opens nothing")
  func lostToken() throws {
    let home = try TemporaryHome()
    let path = home.path + "/petd.token"
    #expect(try Self.run([PetBinary.path + "d", "token"], home: home.path).status == 0)
    let known = try String(contentsOfFile: path, encoding: .utf8)
    let script = #"exec "$0" token >/dev/full"#
    let lost = try Self.run(["/bin/sh", "-c", script, PetBinary.path + "d"], home: home.path)
    #expect(lost.status == 3 && lost.error.hasPrefix("petd: standard output: cannot write"), "\(lost)")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == known)
  }

  @Test("in another's folder nothing is said and nothing kept", .enabled(if: canBeOthers))
  func foreign() async throws {
    let other = try TemporaryHome()
    #expect(chown(other.path, Self.stranger, Self.stranger) == 0 && chmod(other.path, 0o755) == 0)
    let daemon = try await RunningDaemon(in: other, wrapper: Self.words(Self.stranger))
    #expect(chmod(daemon.socket, 0o666) == 0)
    let home = try TemporaryHome()
    #expect(chown(home.path, Self.third, Self.third) == 0)
    for (path, more) in [(other.path, []), (home.path, ["--socket", daemon.socket])] as [(String, [String])] {
      for (words, input) in Self.commands {
        let call = Self.words(Self.third) + [PetBinary.path] + words + more
        expectRefusal(
          try Self.run(call, home: path, input: input), "\(other.path): the folder is user 65534's, not yours")
      }
    }
    #expect(!daemon.log.contains("] request"), "\(daemon.log)")
  }

  @Test(
    "in a home that others may write nothing is said, nothing is kept, and petd does not start",
    arguments: [0o770, 0o702, 0o1777] as [mode_t])
  func writable(mode: mode_t) async throws {
    let home = try TemporaryHome()
    #expect(chmod(home.path, mode) == 0)
    let told = "\(home.path): others may write to the folder (mode \(String(mode, radix: 8)))"
    for words in [["chat"], ["chat", "--no-service", "--profile", "watch"], ["chat", "--unsealed"], ["top"]] {
      expectRefusal(try PetBinary.run(words, home: home.path, input: "hello\n"), told, "chmod go-w")
    }
    for words in [[], ["token"]] as [[String]] {
      expectRefusal(try Self.run([PetBinary.path + "d"] + words, home: home.path), told)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == [])
    // What keeps nothing is not kept from it.
    let incognito = try PetBinary.run(
      ["chat", "--incognito", "--profile", "watch"], home: home.path, input: "hello\n")
    #expect(incognito.status == 0 && !incognito.output.isEmpty, "\(incognito)")
    // Mended as it was told.
    #expect(chmod(home.path, mode & 0o755) == 0)
    let mended = try PetBinary.run(["chat", "--profile", "watch"], home: home.path, input: "hello\n")
    #expect(mended.status == 0, "\(mended)")
    // The pet's own folder is looked at as well.
    let pet = home.path + "/pets/mochi"
    #expect(chmod(pet, 0o770) == 0)
    expectRefusal(
      try PetBinary.run(["chat", "--profile", "watch"], home: home.path, input: "hello\n"),
      "\(pet): others may write to the folder (mode 770)")
  }

  @Test("a home that is opened to others while petd runs is talked in no more")
  func opened() async throws {
    let daemon = try await RunningDaemon()
    #expect(chmod(daemon.home.path, 0o770) == 0)
    for (words, input) in Self.commands {
      expectRefusal(try PetBinary.run(words, home: daemon.home.path, input: input), "others may write to the folder")
    }
    // A socket in a home that is good is not enough: that of the socket must be too.
    let home = try TemporaryHome()
    expectRefusal(
      try PetBinary.run(["top", "--socket", daemon.socket], home: home.path),
      "\(daemon.home.path): others may write to the folder")
    #expect(!daemon.log.contains("] request"), "\(daemon.log)")
    #expect(chmod(daemon.home.path, 0o700) == 0)
    #expect(try PetBinary.run(["top"], home: daemon.home.path).status == 0)
    try await daemon.wait(for: "] request")
  }

  /// A chat through petd, whose lines are typed and replies read.
  private final class Chat {
    let process: SpawnedProcess
    private let folder: TemporaryHome
    private let input: Int32

    init(_ words: [String], home: String) throws {
      folder = try TemporaryHome()
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      input = ends[1]
      let (said, told) = (
        open(folder.path + "/said", O_RDWR | O_CREAT | O_CLOEXEC, 0o600),
        open(folder.path + "/told", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      )
      defer { for file in [ends[0], said, told] { close(file) } }
      process = try SpawnedProcess(
        PetBinary.path, ["chat", "--plain"] + words, environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home],
        files: (ends[0], said, told))
    }

    deinit { close(input) }

    var said: String { text("said") }
    var told: String { text("told") }
    private func text(_ name: String) -> String {
      (try? String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)) ?? ""
    }

    /// Types a line; what was answered, up to `word` and a line's end.
    func type(_ line: String, until word: String) async throws -> String {
      let before = said.count
      _ = (line + "\n").utf8.map { $0 }.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      func answer() -> String { String(said.dropFirst(before)) }
      func isWhole() -> Bool { answer().contains(word) && answer().hasSuffix("\n") }
      for _ in patience where !isWhole() { try await Task.sleep(for: .milliseconds(10)) }
      try #require(isWhole(), "\(said) \(told)")
      return answer()
    }

    /// What the kernel says of each of its threads.
    func threads() throws -> [String] {
      let tasks = "/proc/\(process.pid)/task"
      return try FileManager.default.contentsOfDirectory(atPath: tasks).map {
        try String(contentsOfFile: "\(tasks)/\($0)/status", encoding: .utf8)
      }
    }

    /// Processes that it has started; nil where the kernel does not tell.
    func children() throws -> [pid_t]? {
      let tasks = "/proc/\(process.pid)/task"
      let lists = try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap {
        try? String(contentsOfFile: "\(tasks)/\($0)/children", encoding: .utf8)
      }
      return lists.isEmpty ? nil : lists.flatMap { $0.split(separator: " ").compactMap { pid_t($0) } }
    }
  }

  /// What stands behind a label.
  private static func row(_ label: String, _ shown: String) -> String {
    let line = shown.split(separator: "\n").first { $0.hasPrefix(label + " ") } ?? ""
    return line.dropFirst(label.count).trimmingCharacters(in: .whitespaces)
  }

  private static func isSealed(_ status: String) -> Bool {
    status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1")
  }

  @Test("a chat through petd is sealed as one alone is, says what holds of each, and finds a petd that comes again")
  func sealed() async throws {
    var daemon = try await RunningDaemon(["--lease", "3600"])
    let chat = try Chat([], home: daemon.home.path)
    let shown = try await chat.type("/privacy", until: "erases all of this")
    let state = Self.outlook.state.rawValue
    #expect(Self.row("privacy", shown).hasPrefix("petd: 🔒 Processing Locally (\(state))"), "\(shown)")
    #expect(Self.row("this program", shown).hasPrefix("🔒 Processing Locally (\(state))"), "\(shown)")
    #expect(Self.row("who answers", shown).hasPrefix("petd, at \(daemon.socket)"), "\(shown)")
    #expect(daemon.log.contains("/pet/sessions"))
    if Self.outlook.state == .enforced {
      #expect(shown.contains("the kernel refuses any but connections with petd, which another process makes"))
      #expect(shown.contains("connects it with petd alone"), "\(shown)")
      let threads = try chat.threads()
      #expect(!threads.isEmpty && threads.allSatisfy(Self.isSealed), "\(threads)")
      // Who connects for it is sealed too, and has nothing but its end of the talk with it.
      if let children = try chat.children() {
        #expect(children.count == 1)
        for child in children {
          let status = try String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
          #expect(Self.isSealed(status) && status.contains("Threads:\t1\n"), "\(status)")
          guard geteuid() == 0 else { continue }
          let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(child)/fd").map {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child)/fd/\($0)")
          }
          #expect(files.count == 1 && files.allSatisfy { $0.hasPrefix("socket:") }, "\(files)")
        }
      }
    }
    #expect(try await chat.type("My name is Ottoline.", until: "Mochi").contains("Mochi"))
    let home = daemon.home
    kill(daemon.process.pid, SIGTERM)
    #expect(await daemon.process.waitBriefly() == 0)
    daemon = try await RunningDaemon(["--lease", "3600"], in: home)
    #expect(try await chat.type("/memory", until: "Ottoline").contains("user's name is Ottoline"))
    #expect(try await chat.type("what is my name?", until: "Ottoline").contains("Mochi"))
    #expect(chat.told.contains("this was not kept: what was said before this message"), "\(chat.told)")
    let children = try chat.children() ?? []
    _ = try await chat.type("/quit", until: "Goodbye!")
    // What was lost is in the status too.
    #expect(await chat.process.waitBriefly() == 3)
    // The broker went with it, and was waited for.
    for child in children { #expect(kill(child, 0) == -1) }
  }

  @Test("a chat that is killed leaves nobody behind, and one alone starts nobody")
  func ends() async throws {
    let daemon = try await RunningDaemon()
    let chat = try Chat([], home: daemon.home.path)
    _ = try await chat.type("/state", until: "Mochi")
    let children = try chat.children() ?? []
    kill(chat.process.pid, SIGKILL)
    #expect(await chat.process.waitBriefly() == -SIGKILL)
    for child in children {
      func isGone() -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
        return status?.contains("State:\tZ") ?? true
      }
      for _ in patience where !isGone() { try await Task.sleep(for: .milliseconds(10)) }
      #expect(isGone())
    }
    let home = try TemporaryHome()
    let alone = try Chat(["--profile", "watch"], home: home.path)
    let shown = try await alone.type("/privacy", until: "erases all of this")
    #expect(shown.contains("this program, by itself") && !shown.contains("petd:"), "\(shown)")
    #expect(try (alone.children() ?? []).isEmpty)
    if Self.outlook.state == .enforced { #expect(try alone.threads().allSatisfy(Self.isSealed)) }
    _ = try await alone.type("/quit", until: "Goodbye!")
    #expect(await alone.process.waitBriefly() == 0)
  }

  @Test("unsealed through petd it says that nothing keeps it, and nobody connects for it")
  func unsealed() async throws {
    let daemon = try await RunningDaemon()
    let chat = try Chat(["--unsealed"], home: daemon.home.path)
    let shown = try await chat.type("/privacy", until: "erases all of this")
    #expect(Self.row("this program", shown).hasPrefix("🔒 Processing Locally (observed)"), "\(shown)")
    #expect(!shown.contains("any but connections with petd"), "\(shown)")
    #expect(try (chat.children() ?? []).isEmpty)
    _ = try await chat.type("/quit", until: "Goodbye!")
    #expect(await chat.process.waitBriefly() == 0)
  }
}
