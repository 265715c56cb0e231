import FoundationEssentials
import NIOCore
import NIOHTTP1

/// JSON in requests and responses.
package enum JSON {
  /// - Throws: ``ServiceError``, which names the field that is wrong and never what stood in it.
  package static func decode<Value: Decodable>(_ type: Value.Type, _ body: ByteBuffer) throws(ServiceError) -> Value {
    do {
      let decoder = JSONDecoder()
      if let key = JSONValue.Budget.key { decoder.userInfo[key] = JSONValue.Budget() }
      return try decoder.decode(type, from: Data(body.readableBytesView))
    } catch let error as DecodingError {
      throw Self.error(error)
    } catch let error as ServiceError {
      throw error
    } catch {
      throw ServiceError(.badRequest, "the body is not JSON", code: "invalid_json")
    }
  }

  /// What is encoded is of this program's own types: none of them fails.
  static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }

  static func response(_ value: some Encodable, _ status: HTTPResponseStatus = .ok) -> ServiceResponse {
    .text(text(value), status, type: "application/json")
  }

  private static func error(_ error: DecodingError) -> ServiceError {
    func place(_ path: [any CodingKey]) -> String? {
      guard let first = path.first else { return nil }
      return path.dropFirst().reduce(first.stringValue) { place, key in
        place + (key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)")
      }
    }
    switch error {
    case .keyNotFound(let key, let context):
      let name = place(context.codingPath + [key])
      return ServiceError(.badRequest, "\(name ?? "a field") is missing", parameter: name, code: "missing_field")
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      let name = place(context.codingPath)
      return ServiceError(
        .badRequest, "\(name ?? "the body") is no \(Self.name(type))", parameter: name, code: "invalid_type")
    case .dataCorrupted(let context):
      let name = place(context.codingPath)
      return ServiceError(
        .badRequest, name.map { "\($0) has no value that is known" } ?? "the body is not JSON", parameter: name,
        code: name == nil ? "invalid_json" : "invalid_value")
    @unknown default:
      return ServiceError(.badRequest, "the body is not understood", code: "invalid_json")
    }
  }

  private static func name(_ type: Any.Type) -> String {
    switch type {
    case is String.Type: "string"
    case is Int.Type, is UInt64.Type, is Double.Type, is Float.Type: "number in range"
    case is Bool.Type: "boolean"
    case is [Any].Type: "list"
    default: "object of the right form"
    }
  }
}
