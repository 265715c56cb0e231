// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// What goes wrong in petd is told as the same command tells it without one.
@Suite("petd tells what went wrong")
struct DaemonErrorTests {
  @Test(
    "a model that cannot be read is named in the answer, in the client and by /health; the log has the kind of the reason"
  )
  func model() async throws {
    let home = try TemporaryHome()
    let path = home.path + "/model.gguf"
    try FileManager.default.copyItem(atPath: Fixtures.smallModel, toPath: path)
    let daemon = try await RunningDaemon(["--model", path], in: home)
    // In its place: petd was given that file and no other of this name.
    try Data("no model".utf8).write(to: URL(filePath: path))
    let answer = try await daemon.post(
      "/v1/chat/completions", #"{"messages": [{"role": "user", "content": "hi"}], "max_tokens": 2}"#)
    #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("model_not_available"), "\(answer)")
    #expect(answer.contains("model.gguf") && !answer.contains("ModelError"), "\(answer)")
    #expect(daemon.log.contains("reason=model_not_available") && !daemon.log.contains("ModelError"), "\(daemon.log)")
    let result = try PetBinary.run(["complete", "--prompt", "x"], home: daemon.home.path)
    #expect(result.status == 3 && result.error.contains("model.gguf"), "\(result)")
    #expect(try await daemon.get("/health").hasPrefix("HTTP/1.1 503"))
  }

  @Test("what is named and no model is refused before anybody is answered")
  func noModel() throws {
    let home = try TemporaryHome()
    let result = try PetBinary.run(
      executable: PetBinary.path + "d", ["--profile", "watch", "--model", "/etc/passwd"],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path])
    #expect(result.status == 3 && result.error.contains("/etc/passwd"), "\(result)")
    #expect(!result.error.contains("ready"), "\(result)")
  }

  @Test("a pet that is sealed with a key file is refused as what it is")
  func sealed() async throws {
    let home = try TemporaryHome()
    let made = try PetBinary.run(
      ["chat", "--persona", "zest", "--key-file", home.path + "/key"], home: home.path, input: "/state\n")
    #expect(made.status == 0, "\(made)")
    let daemon = try await RunningDaemon(in: home)
    let answer = try await daemon.get("/pet/pets/zest/state")
    #expect(answer.hasPrefix("HTTP/1.1 409") && answer.contains("the memories are sealed"), "\(answer)")
    let result = try PetBinary.run(["chat", "--persona", "zest"], home: home.path, input: "/state\n")
    #expect(result.status == 3 && result.error.contains("the memories are sealed"), "\(result)")
  }

  @Test("one that was stopped is told, and nobody waits for it for ever")
  func stopped() async throws {
    let daemon = try await RunningDaemon()
    kill(daemon.process.pid, SIGSTOP)
    defer { kill(daemon.process.pid, SIGCONT) }
    for arguments in [["top", "--once"], ["complete", "--prompt", "x"]] {
      let result = try PetBinary.run(arguments, home: daemon.home.path)
      #expect(result.status == 3 && result.error.contains("petd.sock: petd does not answer"), "\(result)")
    }
  }

  @Test("a text that is too large is told as that, and a long message is shortened as it is without petd")
  func large() async throws {
    let daemon = try await RunningDaemon()
    let text = try PetBinary.run(
      ["complete"], home: daemon.home.path, input: String(repeating: "word ", count: 1_700_000))
    #expect(text.status == 3 && !text.error.contains("went away"), "\(text)")
    let message = try PetBinary.run(
      ["chat"], home: daemon.home.path, input: String(repeating: "a kettle ", count: 10_000) + "\n")
    #expect(message.status == 0 && message.error.contains("its beginning and its end were read"), "\(message)")
  }

  @Test("limits that leave no room are told at the start")
  func limits() throws {
    let home = try TemporaryHome()
    for (limit, status) in [("-n 8", Int32(4)), ("-v 150000", 4), ("-v 250000", 4), ("-s 64", 4), ("-d 20000", 4)] {
      let result = try PetBinary.run(
        executable: "/bin/sh", ["-c", "ulimit \(limit); exec \"$0\"d --profile watch", PetBinary.path],
        environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path])
      #expect(result.status == status && result.error.contains("(ulimit \(limit.prefix(2)))"), "\(result)")
    }
  }
}
