// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetJSON

/// What a reply is where there are tools.
package enum ToolReply: Sendable, Equatable {
  /// Words, or JSON that is not about tools.
  case text
  case call(ToolCall)
  /// It begins as a call, and is none.
  case malformed

  /// Reads a reply. A call is the first thing in it, perhaps in a code fence; what follows is left out. O(n).
  package init(_ text: String) {
    var bytes = Array(text.utf8)[...]
    bytes.skipSpace()
    if bytes.starts(with: "```".utf8) {
      guard let line = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
        self = .text
        return
      }
      bytes = bytes[(line + 1)...]
      bytes.skipSpace()
    }
    guard bytes.first == UInt8(ascii: "{") else {
      self = .text
      return
    }
    guard let end = Self.end(ofObject: bytes) else {
      self = Self.mentionsTool(bytes) ? .malformed : .text
      return
    }
    let json = Array(bytes[..<end])
    guard let members = (try? JSONValue(parsing: json, limits: Self.limits, repeatedKeys: .lastWins))?.object else {
      self = Self.mentionsTool(bytes[..<end]) ? .malformed : .text
      return
    }
    switch (members["tool"], members["arguments"]) {
    case (nil, _), (.null, _): self = .text
    case (.string(let tool), .object(let arguments)):
      self = .call(
        ToolCall(tool: String(decoding: tool, as: UTF8.self), arguments: .object(arguments), json: Data(json)))
    case (.string, _): self = .malformed
    case (.some, _): self = Self.mentionsTool(bytes[..<end]) ? .malformed : .text
    }
  }

  /// Of a call: far deeper than a schema may be.
  private static let limits = JSONLimits(nesting: 128)

  /// Where the object that these bytes begin with ends: past its last brace; nil: it is cut off.
  private static func end(ofObject bytes: ArraySlice<UInt8>) -> Int? {
    var depth = 0
    var isInString = false
    var isEscaped = false
    for (index, byte) in zip(bytes.indices, bytes) {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { return index + 1 }
      default: break
      }
    }
    return nil
  }

  /// Whether the first member is called "tool".
  private static func mentionsTool(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes.dropFirst()
    rest.skipSpace()
    return rest.starts(with: #""tool""#.utf8)
  }
}

/// A tool that a model asks for.
package struct ToolCall: Sendable, Equatable {
  package let tool: String
  private let arguments: JSONValue
  /// The whole call.
  private let json: Data

  init(tool: String, arguments: JSONValue, json: Data) {
    self.tool = tool
    self.arguments = arguments
    self.json = json
  }

  /// Its arguments as JSON without white space, members in the order in which the model wrote them; of a key that was written
  /// twice the last value.
  package var argumentsText: String { String(decoding: arguments.compact, as: UTF8.self) }

  /// Its arguments.
  /// - Throws: `ToolError.invalidArguments`.
  package func arguments<Arguments: Decodable>(as type: Arguments.Type) throws(ToolError) -> Arguments {
    do {
      return try JSONDecoder().decode(Envelope<Arguments>.self, from: json).arguments
    } catch let error as DecodingError {
      throw .invalidArguments(tool: tool, path: Self.path(error), problem: Self.problem(error))
    } catch {
      throw .invalidArguments(tool: tool, path: "arguments", problem: .invalid)
    }
  }

  private struct Envelope<Arguments: Decodable>: Decodable { let arguments: Arguments }

  /// Which member: names of the schema, never values.
  private static func path(_ error: DecodingError) -> String {
    let keys: [any CodingKey] =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        context.codingPath
      case .keyNotFound(let key, let context): context.codingPath + [key]
      @unknown default: []
      }
    let names = keys.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
    return String(names.joined().drop { $0 == "." })
  }

  private static func problem(_ error: DecodingError) -> ToolError.ArgumentProblem {
    switch error {
    case .typeMismatch(let type, _): .notA("\(type)")
    case .keyNotFound, .valueNotFound: .missing
    case .dataCorrupted: .invalid
    @unknown default: .invalid
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func skipSpace() {
    self = drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
  }
}
