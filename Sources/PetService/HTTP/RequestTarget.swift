// SPDX-License-Identifier: Apache-2.0
/// What a request asks for: RFC 9112, section 3.2.1, the origin form only.
package struct RequestTarget: Sendable, Equatable {
  package enum Failure: Error, Equatable {
    case tooLong
    /// Not a path that begins with "/".
    case notAPath
    /// "%" without two hexadecimal digits, a control character, or bytes that are no UTF-8.
    case malformed
    /// Names that would leave the folder, or hide a separator.
    case traversal

    var message: String {
      switch self {
      case .tooLong: "the request target is longer than \(RequestTarget.longest) bytes"
      case .notAPath: "the request target must be a path that begins with /"
      case .malformed: "the request target has an escape that is no UTF-8 text, or a control character"
      case .traversal: "the request target has a name that is . or .., or holds a separator"
      }
    }
  }

  /// In bytes.
  static let longest = 2048

  /// Without escapes; none is empty, "." or "..".
  package let path: [String]
  /// The first value of each name.
  package let query: [String: String]

  package init(_ text: String) throws(Failure) {
    guard text.utf8.count <= Self.longest else { throw .tooLong }
    guard text.utf8.first == UInt8(ascii: "/") else { throw .notAPath }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    for part in parts[0].split(separator: "/") {
      let name = try Self.decoded(part)
      guard name != ".", name != "..", !name.contains("/"), !name.contains("\\") else { throw .traversal }
      path.append(name)
    }
    self.path = path
    var query: [String: String] = [:]
    for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try Self.decoded(halves[0])
      if query[name] == nil { query[name] = halves.count > 1 ? try Self.decoded(halves[1]) : "" }
    }
    self.query = query
  }

  private static func decoded(_ text: Substring) throws(Failure) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
          throw .malformed
        }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(byte)
      }
    }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }), let text = String(validating: bytes, as: UTF8.self)
    else { throw .malformed }
    return text
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
