// SPDX-License-Identifier: Apache-2.0
extension GGUFParser {
  /// Reads the tensor table and checks that every tensor lies inside the data and that no two overlap.
  static func readTensors(
    _ count: Int, into contents: inout Contents, _ cursor: inout ByteCursor, _ bytes: RawSpan
  ) throws(GGUFError.Reason) {
    let alignment = try alignment(contents.metadata["general.alignment"])
    var found: [(name: String, dimensions: [Int], type: TensorType, offset: UInt64, size: UInt64)] = []
    found.reserveCapacity(count)
    for _ in 0..<count {
      let name = try readName(&cursor, bytes)
      let dimensions = try readDimensions(name, &cursor, bytes)
      let typeID = try cursor.read(UInt32.self, "type of tensor \(name)", in: bytes)
      guard let type = TensorType(rawValue: typeID) else { throw .unsupportedTensorType(tensor: name, type: typeID) }
      let size = try byteCount(name, dimensions, type)
      let offset = try cursor.read(UInt64.self, "offset of tensor \(name)", in: bytes)
      guard offset % alignment == 0 else { throw .tensorOffset(tensor: name, offset: offset) }
      found.append((name, dimensions.map { Int($0) }, type, offset, size))
    }

    // The data starts at the next multiple of the alignment; both fit in Int, being near the size of the file.
    let dataStart = (UInt64(cursor.offset) + alignment - 1) / alignment * alignment
    let available = UInt64(bytes.byteCount) >= dataStart ? UInt64(bytes.byteCount) - dataStart : 0
    contents.tensors.reserveCapacity(count)
    for tensor in found {
      guard tensor.offset <= available, tensor.size <= available - tensor.offset else {
        throw .tensorOutsideFile(
          tensor: tensor.name, offset: tensor.offset, bytes: tensor.size, available: Int(available))
      }
      guard contents.tensors[tensor.name] == nil else { throw .duplicateTensor(tensor.name) }
      let start = Int(dataStart + tensor.offset)
      contents.tensors[tensor.name] = GGUFTensor(
        name: tensor.name, dimensions: tensor.dimensions, type: tensor.type, bytes: start..<start + Int(tensor.size))
      contents.tensorNames.append(tensor.name)
    }
    // Overlap would let a small file demand large copies in memory and on disk.
    let inOrder = found.sorted { ($0.offset, $0.size) < ($1.offset, $1.size) }
    for (tensor, next) in zip(inOrder, inOrder.dropFirst()) where next.offset < tensor.offset + tensor.size {
      throw .tensorsOverlap(tensor.name, next.name)
    }
  }

  private static func alignment(_ value: GGUFValue?) throws(GGUFError.Reason) -> UInt64 {
    guard let value else { return 32 }  // the format's default
    guard case .uint32(let alignment) = value else { throw .alignment(value: "not an unsigned 32-bit number") }
    guard alignment.nonzeroBitCount == 1, (8...65_536).contains(alignment) else {
      throw .alignment(value: "\(alignment)")
    }
    return UInt64(alignment)
  }

  private static func readName(_ cursor: inout ByteCursor, _ bytes: RawSpan) throws(GGUFError.Reason) -> String {
    let offset = cursor.offset
    let length = try cursor.read(UInt64.self, "length of a tensor name", in: bytes)
    guard length > 0, length <= maximumNameLength else { throw .tensorName(offset: offset, length: length) }
    let range = try cursor.skip(length, "tensor name", in: bytes)
    guard let name = bytes.string(range) else { throw .invalidUTF8(what: "tensor name", offset: offset) }
    return name
  }

  private static func readDimensions(
    _ name: String, _ cursor: inout ByteCursor, _ bytes: RawSpan
  ) throws(GGUFError.Reason) -> [UInt64] {
    let rank = try cursor.read(UInt32.self, "rank of tensor \(name)", in: bytes)
    guard rank > 0, rank <= maximumRank else { throw .tensorRank(tensor: name, rank: rank) }
    var dimensions: [UInt64] = []
    for _ in 0..<rank {
      dimensions.append(try cursor.read(UInt64.self, "dimensions of tensor \(name)", in: bytes))
    }
    return dimensions
  }

  /// The size of a tensor; throws where it is zero, overflows 63 bits, or is not a whole number of blocks.
  private static func byteCount(
    _ name: String, _ dimensions: [UInt64], _ type: TensorType
  ) throws(GGUFError.Reason) -> UInt64 {
    let wrong = GGUFError.Reason.tensorDimensions(tensor: name, dimensions: dimensions)
    var elements: UInt64 = 1
    for dimension in dimensions {
      guard dimension > 0, dimension <= UInt64(Int.max) else { throw wrong }
      let (product, overflow) = elements.multipliedReportingOverflow(by: dimension)
      guard !overflow else { throw wrong }
      elements = product
    }
    let block = UInt64(type.blockElements)
    guard dimensions[0] % block == 0 else { throw wrong }
    let (size, overflow) = (elements / block).multipliedReportingOverflow(by: UInt64(type.blockBytes))
    guard !overflow, size <= UInt64(Int.max) else { throw wrong }
    return size
  }
}
