import Glibc
import PetRuntime

/// The file that holds what clients over TCP must bring: for its owner alone.
package enum TokenFile {
  package enum Failure: Error, Equatable, CustomStringConvertible {
    /// Others may read it.
    case open(path: String)
    case malformed(path: String)

    package var description: String {
      switch self {
      case .open(let path): "\(path): others may read the token; chmod 600 it, or remove it for a new one"
      case .malformed(let path): "\(path): no token of 16 to 256 letters and digits; remove it for a new one"
      }
    }
  }

  /// In bytes.
  private static let sizes = 16...256

  /// The token, made where there is none.
  /// - Throws: ``Failure``, `FileError`.
  package static func token(at path: String) throws -> [UInt8] {
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try Folder.create(String(path[..<slash]), mode: 0o700)
    }
    guard let bytes = try OpenFile.contents(path, atMost: sizes.upperBound + 1) else { return try make(path) }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else { throw Failure.open(path: path) }
    let token = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    let isRest = bytes.dropFirst(token.count).allSatisfy { $0 == UInt8(ascii: "\n") }
    guard sizes.contains(token.count), isRest, token.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure.malformed(path: path)
    }
    return token
  }

  /// 256 random bits.
  private static func make(_ path: String) throws -> [UInt8] {
    var system = SystemRandomNumberGenerator()
    let token = (0..<64).map { _ in Array("0123456789abcdef".utf8)[Int.random(in: 0..<16, using: &system)] }
    let line = token + [UInt8(ascii: "\n")]
    try line.withUnsafeBufferPointer { bytes throws(FileError) in
      try OpenFile.replace(path, UnsafeRawBufferPointer(bytes), mode: 0o600)
    }
    return token
  }
}
