// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A folder that goes when it is let go.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "memory-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// All bytes of all files below.
  func bytes() throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      if let data = FileManager.default.contents(atPath: file(name)) { found[name] = Array(data) }
    }
    return found
  }

  /// The files that hold any of the words.
  func files(with words: [String]) throws -> [String] {
    try bytes().filter { _, bytes in words.contains { bytes.firstRange(of: Array($0.utf8)) != nil } }.keys.sorted()
  }
}
