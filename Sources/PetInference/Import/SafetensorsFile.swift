// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// A safetensors file with a validated header: every tensor lies inside the file and has the bytes of its shape.
///
/// Data is read on request and never held (`RandomAccessFile` says why it is not mapped).
package final class SafetensorsFile: Sendable {
  package var path: String { file.path }
  /// The tensors, in the order of their data.
  package let tensors: [SafetensorsTensor]
  private let file: RandomAccessFile
  private let dataStart: Int

  /// - Throws: `FileError` from the system, `ImportError.safetensors` for a file that breaks the format.
  package init(path: String) throws {
    let file = try RandomAccessFile(path: path)
    do {
      guard file.size >= 10 else { throw SafetensorsProblem.tooShort(size: file.size) }
      let headerSize = try file.read(0..<8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard headerSize <= SafetensorsHeader.maximumSize else {
        throw SafetensorsProblem.headerTooLarge(size: headerSize, limit: SafetensorsHeader.maximumSize)
      }
      dataStart = 8 + Int(headerSize)
      guard dataStart <= file.size else {
        throw SafetensorsProblem.headerBeyondFile(size: headerSize, fileSize: file.size)
      }
      tensors = try SafetensorsHeader.parse(file.read(8..<dataStart), dataSize: file.size - dataStart)
    } catch let problem as SafetensorsProblem {
      throw ImportError.safetensors(path: path, problem)
    }
    self.file = file
  }

  /// Fills `buffer` with bytes of `tensor`, which is one of this file's, from `offset` within it on.
  ///
  /// - Throws: `FileError`, also where the range is not inside the tensor or the file was truncated meanwhile.
  package func read(
    _ tensor: SafetensorsTensor, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileError) {
    guard offset >= 0, offset <= tensor.range.count, buffer.count <= tensor.range.count - offset else {
      throw FileError(path: path, operation: "read", code: 0)
    }
    try file.read(at: dataStart + tensor.range.lowerBound + offset, into: buffer)
  }
}
