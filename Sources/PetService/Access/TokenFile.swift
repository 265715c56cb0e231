import Glibc
import PetRuntime

/// The file that holds what clients over TCP must bring, a line for each: for its owner alone.
package enum TokenFile {
  package enum Failure: Error, Equatable, CustomStringConvertible {
    /// Others may read it.
    case open(path: String)
    case malformed(path: String)

    package var description: String {
      switch self {
      case .open(let path): "\(path): others may read the token; chmod 600 it, or remove it for a new one"
      case .malformed(let path):
        "\(path): a line is no token of 16 to 256 letters, digits and signs; remove the file for a new one"
      }
    }
  }

  /// In bytes.
  private static let sizes = 16...256

  private static let most = 64

  /// The tokens; one is made where there is no file.
  /// - Throws: ``Failure``, `FileError`.
  package static func tokens(at path: String) throws -> [[UInt8]] {
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try Folder.create(String(path[..<slash]), mode: 0o700)
    }
    let limit = most * (sizes.upperBound + 1)
    var bytes = try OpenFile.contents(path, atMost: limit)
    if bytes == nil {
      do throws(FileError) {
        return [try make(path)]
      } catch {
        // Another daemon was faster.
        guard error.code == EEXIST else { throw error }
        bytes = try OpenFile.contents(path, atMost: limit)
      }
    }
    guard let bytes else { throw Failure.malformed(path: path) }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else { throw Failure.open(path: path) }
    let tokens = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    guard !tokens.isEmpty, tokens.count <= most,
      tokens.allSatisfy({ sizes.contains($0.count) && $0.allSatisfy { (0x21...0x7E).contains($0) } })
    else { throw Failure.malformed(path: path) }
    return tokens
  }

  /// 256 random bits.
  private static func make(_ path: String) throws(FileError) -> [UInt8] {
    var system = SystemRandomNumberGenerator()
    let token = (0..<64).map { _ in Array("0123456789abcdef".utf8)[Int.random(in: 0..<16, using: &system)] }
    let line = token + [UInt8(ascii: "\n")]
    try line.withUnsafeBufferPointer { bytes throws(FileError) in
      try OpenFile.publish(path, UnsafeRawBufferPointer(bytes))
    }
    return token
  }
}
