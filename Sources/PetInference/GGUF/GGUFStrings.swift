// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// An array of byte strings in the file's encoding, with the offset of each. Nothing is copied, and a vocabulary of 150,000
/// pieces costs one allocation.
public struct GGUFStrings: Sendable, Equatable {
  /// The strings, each after its length in ``lengthBytes`` bytes.
  public let bytes: ByteRegion
  /// Where each string starts in `bytes`, and ``lengthBytes`` past the end: `count + 1` values, ascending by at least
  /// ``lengthBytes``. String `i` ends ``lengthBytes`` before the start of string `i + 1`.
  package let starts: [UInt32]

  /// Bytes of the length in front of every string.
  public static let lengthBytes = 8
  /// Most bytes that the offsets in `starts` can address; all strings of the largest published models take 10 MB.
  static let maximumByteCount = Int(UInt32.max) - lengthBytes

  public var count: Int { starts.count - 1 }

  /// Copies strings to memory.
  package init(_ texts: some Sequence<[UInt8]>) {
    var bytes: [UInt8] = []
    var starts: [UInt32] = []
    for text in texts {
      starts.append(UInt32(bytes.count + Self.lengthBytes))
      encodeGGUFString(text, into: &bytes)
    }
    starts.append(UInt32(bytes.count + Self.lengthBytes))
    self.bytes = ByteRegion(bytes)
    self.starts = starts
  }

  /// Strings that the parser has validated.
  init(validated bytes: ByteRegion, starts: [UInt32]) {
    self.bytes = bytes
    self.starts = starts
  }

  /// A copy of string `index`.
  package subscript(index: Int) -> [UInt8] {
    bytes.withUnsafeBytes { [UInt8]($0[Int(starts[index])..<Int(starts[index + 1]) - Self.lengthBytes]) }
  }
}
