// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// Element types that are read from safetensors files.
package enum SafetensorsType: String, Sendable {
  case f32 = "F32"
  case f16 = "F16"
  case bf16 = "BF16"

  package var byteCount: Int { self == .f32 ? 4 : 2 }
}

/// A tensor in a safetensors file: row-major, little-endian.
package struct SafetensorsTensor: Equatable, Sendable {
  package let name: String
  package let type: SafetensorsType
  /// Sizes, the outermost first.
  package let shape: [Int]
  /// Byte range from the start of the data.
  package let range: Range<Int>
}

/// The header of a safetensors file: JSON from tensor name to type, shape and place.
///
///     header size n, 8 bytes | n bytes of JSON, '{' first, spaces may follow | data, without holes
enum SafetensorsHeader {
  /// The limit that the format sets.
  static let maximumSize = 100_000_000
  /// The largest models have a few thousand tensors per file.
  static let maximumTensors = 1 << 16
  static let maximumRank = 8
  /// Room for the most tensors and their metadata; a header nests 3 levels.
  private static let limits = JSONLimits(bytes: maximumSize, nesting: 8, values: 1 << 20)

  /// Parses and validates; the tensors come in the order of their data, which they fill without hole or overlap.
  static func parse(_ bytes: [UInt8], dataSize: Int) throws(SafetensorsProblem) -> [SafetensorsTensor] {
    guard bytes.first == UInt8(ascii: "{") else { throw .headerNotObject }
    var tensors = try entries(bytes, dataSize: dataSize)
    tensors.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    var end = 0
    for tensor in tensors {
      let begin = tensor.range.lowerBound
      if begin < end { throw .overlap(tensor: tensor.name, begin: begin, previousEnd: end) }
      if begin > end { throw .hole(tensor: tensor.name, begin: begin, previousEnd: end) }
      end = tensor.range.upperBound
    }
    if end != dataSize { throw .trailingBytes(count: dataSize - end) }
    return tensors
  }

  /// The tensors in the order of the header, each inside the data.
  private static func entries(_ bytes: [UInt8], dataSize: Int) throws(SafetensorsProblem) -> [SafetensorsTensor] {
    var tensors: [SafetensorsTensor] = []
    do {
      var reader = try JSONReader(bytes, limits: limits)
      var members = try reader.beginObject()
      while let name = try reader.nextKey(&members) {
        if name == "__metadata__" {
          var texts = try reader.beginObject()
          while try reader.nextKey(&texts) != nil { _ = try reader.string() }
        } else {
          guard tensors.count < maximumTensors else {
            throw SafetensorsProblem.tooManyTensors(limit: maximumTensors)
          }
          tensors.append(try tensor(name, &reader, dataSize: dataSize))
        }
      }
      try reader.end()
    } catch let error as JSONError {
      throw .malformedHeader(error)
    } catch let error as SafetensorsProblem {
      throw error
    } catch {
      throw .headerNotObject
    }
    return tensors
  }

  private static func tensor(
    _ name: String, _ reader: inout JSONReader, dataSize: Int
  ) throws -> SafetensorsTensor {
    guard (1...256).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw SafetensorsProblem.invalidName(name)
    }
    var typeName: String?
    var shape: [Int]?
    var offsets: [Int]?
    var fields = try reader.beginObject()
    while let field = try reader.nextKey(&fields) {
      switch field {
      case "dtype": typeName = try reader.text()
      case "shape": shape = try sizes(&reader, tensor: name, limit: maximumRank)
      case "data_offsets": offsets = try sizes(&reader, tensor: name, limit: 2)
      default: throw SafetensorsProblem.unknownField(tensor: name, field: field)
      }
    }
    guard let typeName else { throw SafetensorsProblem.missingField(tensor: name, field: "dtype") }
    guard let shape else { throw SafetensorsProblem.missingField(tensor: name, field: "shape") }
    guard let offsets, offsets.count == 2 else {
      throw SafetensorsProblem.missingField(tensor: name, field: "data_offsets (two numbers)")
    }
    guard let type = SafetensorsType(rawValue: typeName) else {
      throw SafetensorsProblem.unsupportedType(tensor: name, type: typeName)
    }
    let (begin, end) = (offsets[0], offsets[1])
    guard begin >= 0, begin <= end else {
      throw SafetensorsProblem.invalidOffsets(tensor: name, begin: begin, end: end)
    }
    guard end <= dataSize else { throw SafetensorsProblem.beyondFile(tensor: name, end: end, dataSize: dataSize) }
    var expected = type.byteCount
    for size in shape {
      let (product, overflow) = expected.multipliedReportingOverflow(by: size)
      guard size >= 0, !overflow else { throw SafetensorsProblem.invalidShape(tensor: name) }
      expected = product
    }
    guard end - begin == expected else {
      throw SafetensorsProblem.wrongByteCount(tensor: name, bytes: end - begin, expected: expected)
    }
    return SafetensorsTensor(name: name, type: type, shape: shape, range: begin..<end)
  }

  private static func sizes(_ reader: inout JSONReader, tensor: String, limit: Int) throws -> [Int] {
    var sizes: [Int] = []
    var elements = try reader.beginArray()
    while try reader.nextElement(&elements) {
      guard sizes.count < limit else { throw SafetensorsProblem.invalidShape(tensor: tensor) }
      sizes.append(try reader.integer())
    }
    return sizes
  }
}
