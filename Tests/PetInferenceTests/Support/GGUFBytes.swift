// SPDX-License-Identifier: Apache-2.0
/// Writes the bytes of GGUF files as a test wants them, right or wrong.
struct GGUFBytes {
  enum Value {
    case uint32(UInt32), float(Float), string(String), raw(type: UInt32, bytes: [UInt8])
  }

  var magic: [UInt8] = Array("GGUF".utf8)
  var version: UInt32 = 3
  var tensorCount: UInt64?
  var keyCount: UInt64?
  var keys: [(String, Value)] = []
  var tensors: [(name: String, dimensions: [UInt64], type: UInt32, offset: UInt64)] = []
  var dataBytes = 0

  static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  static func string(_ text: String) -> [UInt8] { little(UInt64(text.utf8.count)) + Array(text.utf8) }

  var bytes: [UInt8] {
    var out = magic + Self.little(version)
    out += Self.little(tensorCount ?? UInt64(tensors.count)) + Self.little(keyCount ?? UInt64(keys.count))
    for (key, value) in keys {
      out += Self.string(key)
      switch value {
      case .uint32(let number): out += Self.little(UInt32(4)) + Self.little(number)
      case .float(let number): out += Self.little(UInt32(6)) + Self.little(number.bitPattern)
      case .string(let text): out += Self.little(UInt32(8)) + Self.string(text)
      case .raw(let type, let bytes): out += Self.little(type) + bytes
      }
    }
    for tensor in tensors {
      out += Self.string(tensor.name) + Self.little(UInt32(tensor.dimensions.count))
      for dimension in tensor.dimensions { out += Self.little(dimension) }
      out += Self.little(tensor.type) + Self.little(tensor.offset)
    }
    while out.count % 32 != 0 { out.append(0) }
    return out + [UInt8](repeating: 0, count: dataBytes)
  }
}
