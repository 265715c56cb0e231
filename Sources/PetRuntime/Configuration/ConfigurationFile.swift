// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// A file of settings, in TOML.
enum ConfigurationFile {
  /// All settings with long comments are a few thousand bytes.
  static let limit = 64 << 10

  /// The settings that the file changes, in its order. Whether the values are allowed is not looked at.
  static func read(_ path: String) throws(ConfigurationError) -> [SettingLine] {
    let entries: [TOMLEntry]
    let bytes = try bytes(path)
    do {
      entries = try TOMLReader.read(bytes)
    } catch {
      throw .malformed(path: path, error)
    }
    var lines: [SettingLine] = []
    for entry in entries {
      // A dot in quotes is part of a name and makes no table.
      let name = entry.path.map { $0.contains(".") ? "\"\($0)\"" : $0 }.joined(separator: ".")
      guard let key = SettingKey(rawValue: name) else {
        throw .unknown(name: SettingInput.short(name), .file(path: path, entry.keyPosition))
      }
      lines.append(
        SettingLine(key: key, input: .scalar(entry.value), origin: .file(path: path, entry.valuePosition)))
    }
    return lines
  }

  private static func bytes(_ path: String) throws(ConfigurationError) -> ArraySlice<UInt8> {
    do throws(FileError) {
      let file = try OpenFile.regular(path)
      var failure: FileError?
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, filled in
        do throws(FileError) {
          count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        } catch {
          failure = error
        }
        filled = count
      }
      if let failure { throw failure }
      if count <= limit { return bytes[...] }
    } catch {
      throw error.isAbsence ? .missing(path: path) : .file(error)
    }
    throw .tooLarge(path: path, limit: limit)
  }
}

extension FileError {
  fileprivate var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
}
