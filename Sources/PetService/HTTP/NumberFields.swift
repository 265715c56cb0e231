/// Numbers of a request, within their bounds.
extension KeyedDecodingContainer {
  /// - Throws: ``ServiceError`` that names the field.
  func number(_ key: Key, _ range: ClosedRange<Double>) throws -> Float? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    let name = key.stringValue
    guard let value = try? decode(Double.self, forKey: key), range.contains(value) else {
      throw ServiceError.invalid(name, "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return Float(value)
  }

  /// What no integer holds is no failure of the whole body.
  /// - Throws: as ``number(_:_:)``.
  func integer<Value: FixedWidthInteger & Decodable>(_ key: Key, _ range: ClosedRange<Value>) throws -> Value? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    let name = key.stringValue
    guard let value = try? decode(Value.self, forKey: key), range.contains(value) else {
      throw ServiceError.invalid(
        name, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}
