// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// What strace(1) saw, which nobody here wrote: every system call of every thread.
@Suite("A whole conversation, traced", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")))
struct TraceTests {
  private static let calls =
    "socket,socketpair,connect,bind,listen,sendto,sendmsg,sendmmsg,io_uring_setup,execve,execveat,fork,vfork,clone,clone3,ptrace"

  private struct Trace {
    let lines: [String]

    init(_ path: String) throws {
      lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    func calls(_ names: String...) -> [String] { calls(names) }

    private func calls(_ names: [String]) -> [String] {
      lines.filter { line in names.contains { line.contains(" \($0)(") || line.hasPrefix("\($0)(") } }
    }

    /// Calls that are neither refused nor about one of these places.
    ///
    /// The program is not dumpable (prctl(2)): the strace of an ordinary user reads none of its memory, and shows an address as a
    /// pointer. Of such a call the descriptor tells the family.
    func calls(_ names: String..., elsewhereThan places: [String]) -> [String] {
      let unixSockets = Set(
        calls("socket").filter { $0.contains("AF_UNIX") }.compactMap { $0.split(separator: " ").last })
      return calls(names).filter { line in
        if line.contains("EPERM") || places.contains(where: { line.contains($0) }) { return false }
        guard let unread = line.firstMatch(of: /\((\d+), 0x/) else { return true }
        return !unixSockets.contains(unread.1)
      }
    }

    /// Sockets that were asked for, but Unix ones, by the program itself and not by the child that tries whether it is sealed.
    func foreignSockets(of process: Set<String>) -> [String] {
      calls("socket", "socketpair").filter { line in
        process.contains(String(line.prefix { $0.isNumber })) && !line.contains("AF_UNIX")
      }
    }

    /// The threads of the program: those that it made by clone with CLONE_THREAD, and the first.
    var threads: Set<String> {
      var known: Set<String> = [String(lines.first?.prefix { $0.isNumber } ?? "")]
      // The flags of clone3 lie in memory; the child that tries the seal is made by clone.
      for line in lines where (line.contains("CLONE_THREAD") || line.contains("clone3(0x")) && line.contains(" = ") {
        if let number = line.split(separator: " ").last, number.allSatisfy(\.isNumber) { known.insert(String(number)) }
      }
      for line in lines where line.contains("resumed") && line.contains("clone") {
        if let number = line.split(separator: " ").last, number.allSatisfy(\.isNumber) { known.insert(String(number)) }
      }
      return known
    }
  }

  private func traced(_ words: [String], home: String, input: String) throws -> (PetBinary.Result, Trace) {
    let result = try PetBinary.run(
      executable: "/usr/bin/strace", ["-f", "-qq", "-o", home + "/trace", "-e", "trace=" + Self.calls] + words,
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home + "/pet"], input: input)
    return (result, try Trace(home + "/trace"))
  }

  @Test("pet chat asks for no socket but Unix ones, starts no program, and what its own test tries is refused")
  func chat() throws {
    let home = try TemporaryHome()
    let (result, trace) = try traced(
      [PetBinary.path, "chat", "--profile", "watch"], home: home.path,
      input: "Hello!\nMy name is Ada.\nwhat is the moon made of\ntell me about kettles\n")
    #expect(result.status == 0 && result.output.split(separator: "\n").count >= 4, "\(result.error)")
    #expect(trace.lines.count > 10)
    // Looks whether the seal holds: asked by the program itself once, after the filter, and refused.
    let own = trace.foreignSockets(of: trace.threads)
    #expect(own.allSatisfy { $0.contains("EPERM") }, "\(own)")
    let all = trace.calls("socket").filter { !$0.contains("AF_UNIX") }
    #expect(
      all.allSatisfy { $0.contains("EPERM") || $0.contains("unfinished") }, "\(all.filter { !$0.contains("EPERM") })")
    #expect(trace.calls("execve").count { !$0.contains("EPERM") } == 1)
    let reached = trace.calls("connect", "bind", "listen", "sendmsg", "io_uring_setup", elsewhereThan: ["petd.sock"])
    #expect(reached.isEmpty, "\(reached)")
  }

  private static let ordinary = [
    "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
  ]

  /// Root may be anybody, who may not read every folder of root's.
  private static var canBeOrdinary: Bool {
    guard geteuid() == 0, access(ordinary[0], X_OK) == 0 else { return false }
    let result = try? PetBinary.run(
      executable: ordinary[0], ordinary.dropFirst() + [PetBinary.path, "--version"],
      environment: ["PATH": "/usr/bin:/bin"])
    return result?.status == 0
  }

  @Test(
    "who may not raise a thread's priority is connected with no system log, and misses no call",
    .enabled(if: canBeOrdinary))
  func ordinaryUser() throws {
    let home = try TemporaryHome()
    let own = home.path + "/pet"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
    #expect(chmod(home.path, 0o755) == 0 && chown(own, 65534, 65534) == 0)
    let (result, trace) = try traced(
      Self.ordinary + [PetBinary.path, "chat", "--profile", "watch"], home: home.path,
      input: "Hello!\nMy name is Ada.\n/feed\n/privacy\n/forget everything\nyes\n")
    #expect(result.status == 0 && result.complaints == "", "\(result.error)")
    #expect(result.output.contains("(enforced)") && result.output.contains("forgotten"), "\(result.output)")
    // setpriv asks for the user's name, before it starts the program.
    let connections = trace.calls("connect").filter { !$0.contains("/nscd/") }
    #expect(connections.allSatisfy { $0.contains("petd.sock") }, "\(connections)")
  }

  @Test("the trace does see what is not refused: without the seal no call is")
  func unsealed() throws {
    let home = try TemporaryHome()
    let (result, trace) = try traced(
      [PetBinary.path, "chat", "--profile", "watch", "--unsealed"], home: home.path, input: "what is the moon made of\n"
    )
    #expect(result.status == 0)
    #expect(trace.calls("socket").filter { !$0.contains("AF_UNIX") }.isEmpty, "\(trace.calls("socket"))")
    #expect(!trace.lines.contains { $0.contains("EPERM") })
    // An internet socket would be seen.
    let elsewhere = try TemporaryHome()
    let (_, other) = try traced(["/usr/bin/curl", "-s", "http://127.0.0.1:9/"], home: elsewhere.path, input: "")
    #expect(other.calls("socket").contains { $0.contains("AF_INET") })
  }

  @Test("petd binds its Unix socket and connects with nobody")
  func daemon() async throws {
    let home = try TemporaryHome()
    let trace = home.path + "/trace"
    let daemon = try await RunningDaemon(
      in: home, wrapper: ["/usr/bin/strace", "-f", "-qq", "-o", trace, "-e", "trace=" + Self.calls])
    #expect(try await daemon.get("/pet/privacy").contains("🔒 Processing Locally"))
    for text in ["Hello!", "what is the moon made of"] {
      let answer = try await daemon.post("/pet/sessions/mochi.tea/messages", #"{"text": "\#(text)"}"#)
      #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    }
    let seen = try Trace(trace)
    let sockets = seen.calls("socket").filter { !$0.contains("AF_UNIX") }
    #expect(sockets.allSatisfy { $0.contains("EPERM") || $0.contains("unfinished") }, "\(sockets)")
    #expect(seen.calls("bind", elsewhereThan: ["petd.sock"]).isEmpty)
    let connections = seen.calls("connect", elsewhereThan: [])
    #expect(connections.isEmpty, "\(connections)")
    kill(daemon.process.pid, SIGTERM)
  }
}
