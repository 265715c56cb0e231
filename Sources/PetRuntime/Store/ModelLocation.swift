// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// Where a model's bytes are.
public enum ModelLocation: Sendable, Equatable, CustomStringConvertible {
  case file(path: String)
  /// In the program itself: the name of a built-in file.
  case builtIn(name: String)

  public var description: String {
    switch self {
    case .file(let path): path
    case .builtIn(let name): "\(name) (built in)"
    }
  }

  /// Bytes of the file.
  /// - Throws: `FileError`; `ModelStoreError.notBuiltIn` for a name that this program does not hold.
  public var byteCount: UInt64 {
    get throws {
      switch self {
      case .file(let path): return try OpenFile.regular(path).size
      case .builtIn(let name):
        guard let bytes = BuiltInFiles.bytes(named: name) else { throw ModelStoreError.notBuiltIn(name: name) }
        return UInt64(bytes.count)
      }
    }
  }
}
