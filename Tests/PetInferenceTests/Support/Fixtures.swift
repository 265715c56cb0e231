// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Files under Tests/Fixtures.
enum Fixtures {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

  /// The smallest model that is part of the project.
  static func shippedModel() -> String {
    root.deletingLastPathComponent().deletingLastPathComponent().appending(path: "Models/nano-v6.gguf").path
  }

  static func path(_ relative: String) -> String { root.appending(path: relative).path }

  static func data(_ relative: String) throws -> Data { try Data(contentsOf: root.appending(path: relative)) }

  /// Little-endian 32-bit floats.
  static func floats(_ relative: String) throws -> [Float] {
    try data(relative).withUnsafeBytes { raw in
      (0..<raw.count / 4).map {
        Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
      }
    }
  }
}
