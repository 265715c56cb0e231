// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetFiles

/// Writes a GGUF version 3 file: first metadata and the list of tensors, then the tensors' data in pieces, in the order of the
/// list.
///
///     magic 'GGUF' | version | tensor count | key count | keys and values | tensor infos | padding | data, padded each
///
/// The write is atomic: the file appears at `finish`, and an error leaves nothing. Equal input gives equal bytes. Memory: the
/// metadata and a buffer of 1 MiB.
public final class GGUFWriter {
  package let tensors: [GGUFTensorDeclaration]
  /// Bytes of the file so far, the header included.
  package var byteCount: Int { file.count }
  private let alignment: Int
  private let file: FileDraft
  /// The tensor whose data comes next, and its bytes so far.
  private var current = 0
  private var written = 0

  /// - Throws: `GGUFWriteError` for invalid contents, `FileError` from the system.
  public convenience init(
    path: String, metadata: [(key: String, value: GGUFValue)], tensors: [GGUFTensorDeclaration]
  ) throws {
    try self.init(path: path, metadata: metadata, tensors: tensors, calls: .system)
  }

  package init(
    path: String, metadata: [(key: String, value: GGUFValue)], tensors: [GGUFTensorDeclaration],
    calls: FileSystemCalls
  ) throws {
    let alignment = try Self.validate(metadata)
    let (offsets, dataSize) = try Self.layOut(tensors, alignment: alignment, path: path)
    var header = Array("GGUF".utf8)
    header += littleEndianBytes(UInt32(3))
    header += littleEndianBytes(UInt64(tensors.count))
    header += littleEndianBytes(UInt64(metadata.count))
    for (key, value) in metadata {
      encodeGGUFString(key.utf8, into: &header)
      header += littleEndianBytes(value.type.rawValue)
      value.encode(into: &header)
    }
    for (tensor, offset) in zip(tensors, offsets) {
      encodeGGUFString(tensor.name.utf8, into: &header)
      header += littleEndianBytes(UInt32(tensor.dimensions.count))
      for dimension in tensor.dimensions { header += littleEndianBytes(UInt64(dimension)) }
      header += littleEndianBytes(UInt32(bitPattern: tensor.type.rawValue))
      header += littleEndianBytes(UInt64(offset))
    }
    header += repeatElement(0, count: Self.padding(after: header.count, alignment: alignment))

    let (size, overflow) = header.count.addingReportingOverflow(dataSize)
    guard !overflow else { throw GGUFWriteError.tooLarge(path: path) }
    let file = try FileDraft(path: path, expectedSize: size, calls: calls)
    try header.withUnsafeBytes { try file.write($0) }
    self.tensors = tensors
    self.alignment = alignment
    self.file = file
  }

  /// Appends the next bytes of tensor `index`, which must be the first incomplete one.
  ///
  /// - Throws: `GGUFWriteError` for data out of order or beyond the tensor's size, `FileError`.
  package func append(_ bytes: UnsafeRawBufferPointer, toTensor index: Int) throws {
    guard index == current, tensors.indices.contains(index) else {
      let name = tensors.indices.contains(index) ? tensors[index].name : "#\(index)"
      throw GGUFWriteError.outOfOrder(
        tensor: name, expected: tensors.indices.contains(current) ? tensors[current].name : nil)
    }
    let tensor = tensors[index]
    guard bytes.count <= tensor.byteCount - written else {
      throw GGUFWriteError.tooManyBytes(tensor: tensor.name, declared: tensor.byteCount)
    }
    try file.write(bytes)
    written += bytes.count
    if written == tensor.byteCount {
      try file.writeZeros(Self.padding(after: written, alignment: alignment))
      current += 1
      written = 0
    }
  }

  /// Checks that every tensor is complete, syncs the file and renames it to its path.
  ///
  /// - Throws: `GGUFWriteError.missingBytes`, `FileError`
  public func finish() throws {
    if current < tensors.count {
      let tensor = tensors[current]
      throw GGUFWriteError.missingBytes(tensor: tensor.name, declared: tensor.byteCount, written: written)
    }
    try file.commit()
  }
}

extension GGUFWriter {
  /// Checks keys and values; returns the alignment, 32 unless the metadata says otherwise.
  private static func validate(_ metadata: [(key: String, value: GGUFValue)]) throws(GGUFWriteError) -> Int {
    var alignment = 32
    var seen: Set<String> = []
    for (key, value) in metadata {
      guard (1...65535).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
        throw .invalidKey(key)
      }
      guard seen.insert(key).inserted else { throw .duplicateKey(key) }
      guard value.isWellFormed else { throw .malformedValue(key: key) }
      if key == "general.alignment" {
        guard case .uint32(let number) = value, (8...65536).contains(number), number.nonzeroBitCount == 1 else {
          throw .invalidAlignment(value)
        }
        alignment = Int(number)
      }
    }
    return alignment
  }

  /// Offset of each tensor from the start of the data, and the size of the data.
  private static func layOut(
    _ tensors: [GGUFTensorDeclaration], alignment: Int, path: String
  ) throws(GGUFWriteError) -> (offsets: [Int], size: Int) {
    var offsets: [Int] = []
    var end = 0
    var seen: Set<String> = []
    for tensor in tensors {
      guard seen.insert(tensor.name).inserted else { throw .duplicateTensor(tensor.name) }
      offsets.append(end)
      let (sum, overflow) = end.addingReportingOverflow(tensor.byteCount)
      guard !overflow, sum <= Int.max - 2 * alignment else { throw .tooLarge(path: path) }
      end = sum + padding(after: sum, alignment: alignment)
    }
    return (offsets, end)
  }

  private static func padding(after size: Int, alignment: Int) -> Int {
    (alignment - size % alignment) % alignment
  }
}
