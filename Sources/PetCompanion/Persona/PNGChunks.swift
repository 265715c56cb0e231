// SPDX-License-Identifier: Apache-2.0
/// The chunks of a PNG file (ISO/IEC 15948): enough to read and write text in one, without its picture.
///
///     signature (8) | length (4, big endian) type (4) data (length) CRC-32 of type and data (4) | ... | IEND
package struct PNGChunks {
  package struct Chunk {
    package let type: [UInt8]
    package let data: ArraySlice<UInt8>
    /// Where it begins in the file.
    package let offset: Int

    package func isOf(_ type: StaticString) -> Bool { type.withUTF8Buffer { self.type.elementsEqual($0) } }
  }

  package private(set) var chunks: [Chunk] = []

  package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// Length, type and CRC.
  private static let frame = 12
  /// Pictures have a few hundred at most.
  package static let mostChunks = 1 << 16

  /// - Throws: ``PersonaError/image(offset:problem:)`` where the file is cut off, has a wrong CRC, or anything after its end.
  package init(_ file: [UInt8]) throws(PersonaError) {
    guard file.count <= PersonaLimits.imageBytes else { throw .tooLarge("bytes", limit: PersonaLimits.imageBytes) }
    guard file.starts(with: Self.signature) else { throw .image(offset: 0, problem: "not a PNG file") }
    var offset = Self.signature.count
    while chunks.last?.isOf("IEND") != true {
      let left = file.count - offset
      guard left >= Self.frame else { throw .image(offset: offset, problem: "the file ends within a chunk") }
      let length = Self.number(file[offset..<offset + 4])
      guard length <= left - Self.frame else { throw .image(offset: offset, problem: "a chunk reaches past the end") }
      let data = offset + 8..<offset + 8 + length
      let type = Array(file[offset + 4..<offset + 8])
      guard type.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }) else {
        throw .image(offset: offset + 4, problem: "a chunk has no proper type")
      }
      guard
        Self.number(file[data.endIndex..<data.endIndex + 4])
          == Int(file[offset + 4..<data.endIndex].withUnsafeBytes(CRC32.of))
      else {
        throw .image(offset: data.endIndex, problem: "the CRC of a chunk is wrong")
      }
      let chunk = Chunk(type: type, data: file[data], offset: offset)
      guard !chunks.isEmpty || (chunk.isOf("IHDR") && length == 13) else {
        throw .image(offset: offset, problem: "the first chunk is no header")
      }
      guard chunks.count < Self.mostChunks else { throw .tooLarge("chunks", limit: Self.mostChunks) }
      chunks.append(chunk)
      offset = data.endIndex + 4
    }
    guard offset == file.count else { throw .image(offset: offset, problem: "bytes after the end of the picture") }
  }

  /// A chunk as it is in a file.
  package static func written(_ type: StaticString, _ data: some Collection<UInt8>) -> [UInt8] {
    let checked = type.withUTF8Buffer { Array($0) } + data
    return bigEndian(UInt32(data.count)) + checked + bigEndian(checked.withUnsafeBytes(CRC32.of))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}
