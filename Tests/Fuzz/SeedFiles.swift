// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The inputs that are kept: `Seeds/TARGET/*`, made by `make_seeds.py`, and `Regressions/TARGET/*`, which once broke something.
enum SeedFiles {
  static let folder = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }

  static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
    return bytes
  }

  /// All of a target, sorted by name.
  static func paths(of target: FuzzTarget) -> [String] {
    ["Seeds", "Regressions"].flatMap { names(in: "\(folder)/\($0)/\(target.rawValue)") }
  }

  private static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var found: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { found.append("\(folder)/\(name)") }
    }
    return found.sorted()
  }
}
