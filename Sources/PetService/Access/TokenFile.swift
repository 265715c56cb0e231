// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import PetRuntime

/// The file that holds what clients over TCP must bring, a line for each, and behind it the one pet that it opens: for its owner alone.
package enum TokenFile {
  package enum Failure: Error, Equatable, CustomStringConvertible {
    /// Others may read it.
    case open(path: String)
    case malformed(path: String)
    /// It has as many tokens as it may have.
    case full(path: String)

    package var description: String {
      switch self {
      case .open(let path): "\(path): others may read the token; chmod 600 it, or remove it for a new one"
      case .full(let path): "\(path): there are \(TokenFile.most) tokens; remove the lines of those that nobody uses"
      case .malformed(let path):
        "\(path): a line is no token of 16 to 256 letters, digits and signs, alone or before a pet's name; remove the file for a new one"
      }
    }
  }

  /// In bytes.
  private static let sizes = 16...256

  private static let most = 64
  private static let longestName = 64

  /// The tokens; one is made where there is no file.
  /// - Throws: ``Failure``, `FileError`.
  package static func tokens(at path: String) throws -> [AccessToken] {
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try Folder.create(String(path[..<slash]), mode: 0o700)
    }
    let limit = most * (sizes.upperBound + longestName + 2)
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
    guard FilePath.isPrivate(path) else { throw Failure.open(path: path) }
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    let tokens = lines.compactMap(token)
    guard !tokens.isEmpty, tokens.count <= most, tokens.count == lines.count else {
      throw Failure.malformed(path: path)
    }
    return tokens
  }

  /// Adds one more token to those that are there.
  /// - Parameter tell: hands it over, before it opens anything: one that nobody has seen must not.
  /// - Throws: as ``tokens(at:)``; ``Failure/full(path:)``; what `tell` throws.
  @discardableResult
  package static func add(
    to path: String, pet: String?, telling tell: (AccessToken) throws -> Void = { _ in }
  ) throws -> AccessToken {
    let known = try tokens(at: path)
    guard known.count < most else { throw Failure.full(path: path) }
    let new = AccessToken(random(), pet: pet)
    try tell(new)
    try (known + [new]).flatMap(line).withUnsafeBufferPointer { bytes in
      try OpenFile.replace(path, UnsafeRawBufferPointer(bytes), mode: 0o600)
    }
    return new
  }

  /// Nil for what is no line of the file.
  private static func token(_ line: ArraySlice<UInt8>) -> AccessToken? {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard let secret = parts.first, parts.count <= 2, sizes.contains(secret.count),
      parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x21...0x7E).contains($0) } })
    else { return nil }
    guard parts.count == 2 else { return AccessToken(Array(secret)) }
    guard parts[1].count <= longestName else { return nil }
    return AccessToken(Array(secret), pet: String(decoding: parts[1], as: UTF8.self))
  }

  private static func line(_ token: AccessToken) -> [UInt8] {
    token.secret + (token.pet.map { Array(" \($0)".utf8) } ?? []) + [UInt8(ascii: "\n")]
  }

  /// 256 bits.
  private static func random() -> [UInt8] {
    var system = SystemRandomNumberGenerator()
    return (0..<64).map { _ in Array("0123456789abcdef".utf8)[Int.random(in: 0..<16, using: &system)] }
  }

  private static func make(_ path: String) throws(FileError) -> AccessToken {
    let token = AccessToken(random())
    try line(token).withUnsafeBufferPointer { bytes throws(FileError) in
      try OpenFile.publish(path, UnsafeRawBufferPointer(bytes))
    }
    return token
  }
}
