// SPDX-License-Identifier: Apache-2.0
import PetText

/// Why a document was refused, and where.
public struct TOMLError: Error, Equatable, CustomStringConvertible {
  package enum Problem: Sendable, Equatable {
    case notUTF8
    case byteOrderMark
    case controlCharacter(UInt32)
    /// "a key", "a value"
    case expected(String)
    case unterminatedString(quote: String)
    case unknownEscape(String)
    case notAValue(String)
    case integerRange(String)
    /// "an array"
    case unsupported(String)
    case definedBefore(String, line: Int)
    case tooDeep(limit: Int)
  }

  public let position: SourcePosition
  package let problem: Problem

  /// One line: names are those of the file.
  public var description: String { message.oneLine }

  private var message: String {
    switch problem {
    case .notUTF8: "these bytes are no UTF-8; save the file as UTF-8"
    case .byteOrderMark: "the file begins with a byte order mark; save it as UTF-8 without one"
    case .controlCharacter(let code):
      "the control character U+\(Self.hex(code)) cannot stand here; in a string write \\u\(Self.hex(code))"
    case .expected(let what): "\(what) is expected here"
    case .unterminatedString(let quote): "this string does not end; close it with \(quote)"
    case .unknownEscape(let text): "\(text) is no escape; write \\\\ for a backslash, or use ' instead of \""
    case .notAValue(let text): "'\(text)' is no value; strings stand in quotes"
    case .integerRange(let text): "\(text) does not fit in 64 bits; give a smaller number"
    case .unsupported(let what): "\(what) is no value of any setting; give a string, a number, true or false"
    case .definedBefore(let name, let line): "\(name) is already there in line \(line); keep one of them"
    case .tooDeep(let limit): "a key of more than \(limit) parts; no setting has so many"
    }
  }

  private static func hex(_ code: UInt32) -> String {
    let digits = String(code, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
