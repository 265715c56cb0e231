// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Every input that fuzzing is begun with, every one that once broke something, and changed ones, the same in every run. The long form
/// is `scripts/torture fuzz`.
@Suite("Hostile input")
struct FuzzTests {
  private static let program = URL(filePath: PetBinary.path).deletingLastPathComponent().appending(path: "Fuzz").path

  /// Slow ones build a tokenizer or a transformer for each input.
  private static let mutations = [
    "model": 100, "snapshot": 100, "sentencepiece": 150, "adapter": 300, "predictions": 300,
  ]

  /// Where it was built with the address sanitizer, that looks for leaks too, and knows what Swift makes once by its names.
  private static let environment = [
    "SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=1",
    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
  ]

  private static let targets: [String] = {
    let result = try? PetBinary.run(executable: program, ["list"], environment: [:])
    return result?.output.split(separator: "\n").map(String.init) ?? []
  }()

  @Test("there are targets, and each has inputs to begin with")
  func seeds() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzz/Seeds")
    #expect(Self.targets.count >= 20)
    for target in Self.targets {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: target).path)
      #expect(!names.isEmpty, "\(target)")
    }
  }

  @Test("ends with a value or an error of one line, whatever the bytes", arguments: targets)
  func ends(_ target: String) throws {
    let count = Self.mutations[target] ?? 1000
    let result = try PetBinary.run(
      executable: Self.program, ["kept", target, "\(count)", "1"], environment: Self.environment)
    #expect(
      result.status == 0, "stopped at \(result.output.trimmingCharacters(in: .whitespacesAndNewlines)): \(result.error)"
    )
    #expect(result.output.hasPrefix("ended"))
  }

  @Test("what is refused, and what is taken, leaves nothing allocated when it is gone", arguments: targets)
  func leaks(_ target: String) throws {
    let result = try PetBinary.run(
      executable: Self.program, ["leaks", target, "20"], environment: Self.environment)
    let growth = try #require(
      Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(result.output)\(result.error)")
    #expect(growth <= 0, "each of twenty rounds left \(growth) bytes or more")
  }
}
