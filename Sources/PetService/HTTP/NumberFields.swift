// SPDX-License-Identifier: Apache-2.0
import PetAPI
/// Numbers of a request, within their bounds.
extension KeyedDecodingContainer {
  /// - Throws: ``ServiceError`` that names the field.
  func number(_ key: Key, _ range: ClosedRange<Double>) throws -> Float? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    let name = key.stringValue
    guard let value = try? decode(Double.self, forKey: key), range.contains(value) else {
      throw ServiceError.invalid(
        name, "\(name) must be a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))")
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

  /// A field that asks for what is not done here.
  /// - Throws: ``ServiceError`` that names the field and says `instead`, unless the field is left out or null.
  func refuse(_ key: Key, _ instead: String) throws {
    guard contains(key), try !decodeNil(forKey: key) else { return }
    let place = JSON.place(codingPath + [key]) ?? key.stringValue
    throw ServiceError(
      .badRequest, "\(place) is not supported; \(instead)", parameter: place, code: "unsupported_parameter")
  }

  /// As people write it.
  private static func text(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
