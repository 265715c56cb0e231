// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import NIOCore
import NIOHTTP1
import PetAPI
import PetJSON
import PetText

extension JSON {
  /// A body that was read, and what of it was not.
  package struct Body<Value> {
    package let value: Value
    /// Fields that nobody asked for, as in "messages[0].name".
    package let unreadFields: [String]
  }

  /// How deep the values of a body may nest, and how many there may be: each takes some hundred bytes.
  private static let limits = JSONLimits(nesting: 256, values: 1 << 17)

  /// A body of this service's own form, in which every field means something.
  /// - Throws: ``ServiceError``, which names the field that is wrong and never what stood in it; also where there is one that
  ///   means nothing.
  package static func decode<Value: Decodable>(_ type: Value.Type, _ body: ByteBuffer) throws(ServiceError) -> Value {
    let body = try read(type, body)
    guard let unread = body.unreadFields.first else { return body.value }
    throw ServiceError(.badRequest, "\(unread) is no field that is known", parameter: unread, code: "unknown_field")
  }

  /// A body that may have fields of other services.
  /// - Throws: ``ServiceError``, which names the place, or the field that is wrong, and never what stood in it.
  package static func read<Value: Decodable>(
    _ type: Value.Type, _ body: ByteBuffer
  ) throws(ServiceError) -> Body<Value> {
    do {
      let decoder = JSONValueDecoder(try JSONValue(parsing: Array(body.readableBytesView), limits: limits))
      return Body(value: try type.init(from: decoder), unreadFields: decoder.unreadFields)
    } catch let error as JSONError {
      throw ServiceError(.badRequest, refusal(error), code: "invalid_json")
    } catch let error as DecodingError {
      throw Self.error(error)
    } catch let error as ServiceError {
      throw error
    } catch {
      throw ServiceError(.badRequest, "the body is not understood", code: "invalid_json")
    }
  }

  static func response(_ value: some Encodable, _ status: HTTPResponseStatus = .ok) -> ServiceResponse {
    .text(text(value), status, type: "application/json")
  }

  /// As in "messages[0].content"; nil for the body itself.
  static func place(_ path: [any CodingKey]) -> String? {
    guard let first = path.first else { return nil }
    return path.dropFirst().reduce(first.stringValue) { place, key in
      place + (key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)")
    }.oneLine
  }

  private static func refusal(_ error: JSONError) -> String {
    switch error {
    case .tooLarge(.nesting, let limit): "the body is not JSON: it nests deeper than \(limit) levels"
    case .tooLarge: "the body is too large: \(error)"
    case .syntax, .invalid: "the body is not JSON: \(error)"
    }
  }

  private static func error(_ error: DecodingError) -> ServiceError {
    switch error {
    case .keyNotFound(let key, let context):
      let name = place(context.codingPath + [key])
      return ServiceError(.badRequest, "\(name ?? "a field") is missing", parameter: name, code: "missing_field")
    case .valueNotFound(_, let context):
      let name = place(context.codingPath)
      return ServiceError(
        .badRequest, "\(name ?? "the body") is missing: it is null", parameter: name, code: "missing_field")
    case .typeMismatch(let type, let context):
      let name = place(context.codingPath)
      return ServiceError(
        .badRequest, "\(name ?? "the body") must be \(Self.name(type))", parameter: name, code: "invalid_type")
    case .dataCorrupted(let context):
      let name = place(context.codingPath)
      return ServiceError(
        .badRequest, "\(name ?? "the body") has no value that is known", parameter: name, code: "invalid_value")
    @unknown default:
      return ServiceError(.badRequest, "the body is not understood", code: "invalid_json")
    }
  }

  private static func name(_ type: Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is any FixedWidthInteger.Type: "a whole number in range"
    case is any BinaryFloatingPoint.Type: "a number"
    case is Bool.Type: "true or false"
    case is [JSONValue].Type: "a list"
    default: "an object"
    }
  }
}
