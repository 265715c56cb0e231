// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetJSON

/// A JSON file of a model folder, with typed and bounded access to its values.
package struct ConfigurationFile {
  let path: String
  let root: JSONValue

  /// Published configuration files stay under 1 MB.
  static let maximumSize = 16 << 20
  /// Published ones nest 4 levels; one with a thousand added tokens has about 10,000 values.
  private static let limits = JSONLimits(bytes: maximumSize, nesting: 32, values: 1 << 19)

  /// - Throws: `FileError`, `ImportError`
  package init(path: String) throws {
    self.path = path
    let bytes = try Self.bytes(path, limit: Self.maximumSize)
    do {
      root = try JSONValue(parsing: bytes, limits: Self.limits)
    } catch {
      throw ImportError.malformedJSON(path: path, error)
    }
  }

  /// The whole of a small file.
  static func bytes(_ path: String, limit: Int) throws -> [UInt8] {
    let file = try RandomAccessFile(path: path)
    guard file.size <= limit else {
      throw ImportError.fileTooLarge(path: path, size: file.size, limit: limit)
    }
    return try file.read(0..<file.size)
  }

  func invalid(_ key: String, _ value: JSONValue?, _ expected: String) -> ImportError {
    .invalidValue(path: path, key: key, value: value?.summary, expected: expected)
  }

  /// An integer of the root, or of `object` when it is given.
  func integer(
    _ key: String, in range: ClosedRange<Int>, default fallback: Int? = nil, of object: JSONValue? = nil
  ) throws(ImportError) -> Int {
    let value = (object ?? root)[key]
    if value == nil, let fallback { return fallback }
    guard let number = value?.integer, range.contains(number) else {
      throw invalid(key, value, "an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func number(
    _ key: String, in range: ClosedRange<Double>, default fallback: Double? = nil, of object: JSONValue? = nil
  ) throws(ImportError) -> Double {
    let value = (object ?? root)[key]
    if value == nil, let fallback { return fallback }
    guard let number = value?.double, range.contains(number) else {
      throw invalid(key, value, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func bool(_ key: String, default fallback: Bool) throws(ImportError) -> Bool {
    guard let value = root[key] else { return fallback }
    guard let bool = value.bool else { throw invalid(key, value, "true or false") }
    return bool
  }

  /// Vendor metadata: integers under keys with a dot, such as "pet.prompt_format". Hugging Face's own keys have none.
  func ownNumbers(architecture: String) -> [(key: String, value: UInt32)] {
    (root.members ?? []).compactMap { key, value in
      guard key.utf8.contains(UInt8(ascii: ".")), key.utf8.count <= 64,
        GGUFFile.isOwnKey(key, architecture: architecture), let number = value.integer.flatMap(UInt32.init(exactly:))
      else { return nil }
      return (key, number)
    }
  }

  /// `count` positive numbers.
  func factors(_ key: String, count: Int, of object: JSONValue) throws(ImportError) -> [Float] {
    let value = object[key]
    let factors = (value?.array ?? []).compactMap { $0.double.map { Float($0) } }
    guard factors.count == count, value?.array?.count == count, factors.allSatisfy({ $0.isFinite && $0 > 0 }) else {
      throw invalid(key, value, "\(count) positive numbers, half the rotated dimensions")
    }
    return factors
  }
}

extension JSONValue {
  /// A short description of the value, for messages.
  var summary: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let digits): String(decoding: digits, as: UTF8.self)
    case .string(let text): "'\(String(decoding: text, as: UTF8.self))'"
    case .array(let elements): "a list of \(elements.count)"
    case .object(let object): "an object of \(object.members.count)"
    }
  }
}
