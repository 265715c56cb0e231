// SPDX-License-Identifier: Apache-2.0
import PetText

/// /proc/meminfo (proc(5)): "MemTotal:       24113560 kB".
struct MemoryInfo {
  /// Bytes; 0 when unknown.
  private(set) var total: UInt64 = 0
  /// What can be had without swapping, by the kernel's estimate.
  private(set) var available: UInt64 = 0

  init(_ text: String) {
    for (key, bytes) in KilobyteLines(text) {
      switch key {
      case "MemTotal": total = bytes
      case "MemAvailable": available = bytes
      default: break
      }
    }
  }
}

/// The lines "NAME: NUMBER kB" of a file of /proc, as names and bytes; others are left out.
struct KilobyteLines: Sequence {
  private let lines: [(key: String, bytes: UInt64)]

  init(_ text: String) {
    lines = text.split(separator: "\n").compactMap { line in
      guard let (key, value) = line.halves(at: ":"), value.hasSuffix(" kB"),
        let kilobytes = UInt64(value.dropLast(3).trimmed), kilobytes < 1 << 50
      else { return nil }
      return (key, kilobytes * 1024)
    }
  }

  func makeIterator() -> some IteratorProtocol<(key: String, bytes: UInt64)> { lines.makeIterator() }
}
