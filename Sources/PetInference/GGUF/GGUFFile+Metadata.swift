// SPDX-License-Identifier: Apache-2.0
extension GGUFFile {
  /// Vendor metadata: keys outside the GGUF standard, in the order of the file.
  package var ownKeys: [String] {
    let architecture = (try? architecture()) ?? ""
    return metadataKeys.filter { Self.isOwnKey($0, architecture: architecture) }
  }

  /// Whether a key is outside the GGUF standard for a file of this architecture.
  static func isOwnKey(_ key: String, architecture: String) -> Bool {
    let standard = [
      "general.", "tokenizer.", "adapter.", "split.", "quantize.", InterleavedFormat.keyPrefix, architecture + ".",
    ]
    return !standard.contains(where: key.hasPrefix)
  }

  /// A whole number from 0, of any integer width; nil where the key is absent.
  package func integer(_ key: String) throws(GGUFError) -> Int? {
    guard let value = metadata[key] else { return nil }
    let number: Int? =
      switch value {
      case .uint8(let v): Int(v)
      case .int8(let v): Int(v)
      case .uint16(let v): Int(v)
      case .int16(let v): Int(v)
      case .uint32(let v): Int(v)
      case .int32(let v): Int(v)
      case .uint64(let v): Int(exactly: v)
      case .int64(let v): Int(exactly: v)
      default: nil
      }
    guard let number, number >= 0 else { throw error(.keyType(key: key, expected: "a whole number from 0")) }
    return number
  }

  /// A finite floating-point number; nil where the key is absent.
  package func float(_ key: String) throws(GGUFError) -> Float? {
    guard let value = metadata[key] else { return nil }
    let number: Float? =
      switch value {
      case .float32(let v): v
      case .float64(let v): Float(v)
      default: nil
      }
    guard let number, number.isFinite else { throw error(.keyType(key: key, expected: "a finite number")) }
    return number
  }

  package func bool(_ key: String) throws(GGUFError) -> Bool? {
    guard let value = metadata[key] else { return nil }
    guard case .bool(let flag) = value else { throw error(.keyType(key: key, expected: "a truth value")) }
    return flag
  }

  /// Text; nil where the key is absent.
  package func string(_ key: String) throws(GGUFError) -> String? {
    guard let value = metadata[key] else { return nil }
    guard case .string(let bytes) = value, let text = String(validating: bytes, as: UTF8.self) else {
      throw error(.keyType(key: key, expected: "UTF-8 text"))
    }
    return text
  }

  /// An array of strings in the mapped file; nil where the key is absent. Their encoding is not checked.
  package func strings(_ key: String) throws(GGUFError) -> GGUFStrings? {
    guard let value = metadata[key] else { return nil }
    guard case .strings(let strings) = value else { throw error(.keyType(key: key, expected: "an array of strings")) }
    return strings
  }

  /// An array of 32-bit floats; nil where the key is absent.
  package func floats(_ key: String) throws(GGUFError) -> [Float]? {
    try array(key, .float32, "an array of 32-bit floats") { (bits: UInt32) in Float(bitPattern: bits) }
  }

  /// An array of signed 32-bit integers; nil where the key is absent.
  package func int32s(_ key: String) throws(GGUFError) -> [Int32]? {
    try array(key, .int32, "an array of 32-bit integers") { (value: Int32) in value }
  }

  /// The value, or `missingKey` where it is nil.
  package func require<T>(_ key: String, _ optional: T?) throws(GGUFError) -> T {
    guard let value = optional else { throw error(.missingKey(key)) }
    return value
  }

  func error(_ reason: GGUFError.Reason) -> GGUFError { GGUFError(path: path, reason: reason) }

  /// A copy of an array's elements, each by way of the integer of its size.
  private func array<Bits: FixedWidthInteger & BitwiseCopyable, Element>(
    _ key: String, _ type: GGUFValueType, _ expected: String, _ element: (Bits) -> Element
  ) throws(GGUFError) -> [Element]? {
    guard let value = metadata[key] else { return nil }
    guard case .array(type, let count, let bytes) = value, bytes.count == count * MemoryLayout<Bits>.size else {
      throw error(.keyType(key: key, expected: expected))
    }
    return bytes.withUnsafeBytes { raw in
      [Element](unsafeUninitializedCapacity: count) { elements, initialized in
        for index in 0..<count {
          let bits = raw.loadUnaligned(fromByteOffset: index * MemoryLayout<Bits>.size, as: Bits.self)
          elements.initializeElement(at: index, to: element(Bits(littleEndian: bits)))
        }
        initialized = count
      }
    }
  }
}
