import Synchronization

/// JSON of a form that is not known beforehand.
enum JSONValue: Codable, Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case list([JSONValue])
  case object([String: JSONValue])

  /// How much of it one body may hold: of what kind a value is, is tried, and each try that fails notes the path to it.
  final class Budget: Sendable {
    static let key = CodingUserInfoKey(rawValue: "JSONValue.Budget")

    /// Values times the lengths of their paths: some 50,000 values as schemas have them.
    private let left = Mutex(1 << 19)

    /// - Returns: whether there was enough left.
    func take(_ length: Int) -> Bool {
      left.withLock { left in
        left -= length
        return left >= 0
      }
    }
  }

  /// - Throws: ``ServiceError`` where the body's ``Budget`` is spent; `DecodingError`.
  init(from decoder: any Decoder) throws {
    let path = decoder.codingPath
    if let budget = Budget.key.flatMap({ decoder.userInfo[$0] as? Budget }), !budget.take(path.count + 1) {
      let field = path.first?.stringValue ?? "the body"
      throw ServiceError.invalid(field, "\(field) holds more values, or deeper ones, than are read")
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if var list = try? decoder.unkeyedContainer() {
      // Not all of it by trying: what is wrong within is told.
      var values: [JSONValue] = []
      while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
      self = .list(values)
    } else {
      self = .object(try value.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .bool(let bool): try value.encode(bool)
    case .integer(let integer): try value.encode(integer)
    case .number(let number): try value.encode(number)
    case .string(let string): try value.encode(string)
    case .list(let list): try value.encode(list)
    case .object(let object): try value.encode(object)
    }
  }
}
