// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import RawClient
import Testing

/// A model's file that is cut short while it is mapped: every read of what is gone is a SIGBUS.
@Suite("Model files that change while they are used")
struct LostFileTests {
  private func copy(in home: TemporaryHome) throws -> String {
    let path = home.path + "/model.gguf"
    try FileManager.default.copyItem(atPath: Fixtures.smallModel, toPath: path)
    return path
  }

  private static let question = #"{"prompt": "Hello there, how are you", "max_tokens": 4}"#

  @Test("petd answers that the file is gone, lives, and loads the model anew once the file is whole")
  func daemon() async throws {
    let home = try TemporaryHome()
    let path = try copy(in: home)
    let daemon = try await RunningDaemon(["--model", path], in: home)
    let whole = try Data(contentsOf: URL(filePath: path))
    let before = try await daemon.post("/pet/completions", Self.question)
    #expect(before.hasPrefix("HTTP/1.1 200"), "\(before) \(daemon.log)")
    // Where others leave no memory, the model goes between two questions, and is opened when it is short already.
    var lost = ""
    for _ in 0..<5 where !lost.hasPrefix("HTTP/1.1 503") {
      try whole.write(to: URL(filePath: path))
      _ = try await daemon.post("/pet/completions", Self.question)
      #expect(truncate(path, 4096) == 0)
      lost = try await daemon.post("/pet/completions", Self.question)
    }
    #expect(lost.hasPrefix("HTTP/1.1 503"), "\(lost) \(daemon.log)")
    // It is opened anew, and refused.
    let refused = try await daemon.post("/pet/completions", Self.question)
    #expect(refused.hasPrefix("HTTP/1.1 5"), "\(refused) \(daemon.log)")
    try whole.write(to: URL(filePath: path))
    let after = try await daemon.post("/pet/completions", Self.question)
    #expect(after.hasPrefix("HTTP/1.1 200"), "\(after) \(daemon.log)")
    #expect(RunningDaemon.text(before) == RunningDaemon.text(after))
  }

  @Test("a file that another takes the place of by name stays what it was for those who have it")
  func replaced() async throws {
    let home = try TemporaryHome()
    let path = try copy(in: home)
    let daemon = try await RunningDaemon(["--model", path], in: home)
    let whole = try Data(contentsOf: URL(filePath: path))
    var (before, after) = ("", "")
    for _ in 0..<5 where !after.hasPrefix("HTTP/1.1 200") {
      try whole.write(to: URL(filePath: path), options: .atomic)
      before = try await daemon.post("/pet/completions", Self.question)
      try Data("no model".utf8).write(to: URL(filePath: path), options: .atomic)
      after = try await daemon.post("/pet/completions", Self.question)
    }
    #expect(
      after.hasPrefix("HTTP/1.1 200") && RunningDaemon.text(before) == RunningDaemon.text(after),
      "\(after) \(daemon.log)")
  }
}

extension RunningDaemon {
  /// The member `text` of a response.
  fileprivate static func text(_ response: String) -> String? {
    response.firstMatch(of: /"text":"((?:[^"\\]|\\.)*)"/).map { String($0.1) }
  }
}
