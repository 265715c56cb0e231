/// A step from a JSON value into it.
package enum JSONStep: Sendable, Equatable {
  case key(String)
  case index(Int)
}

extension JSONReader {
  /// The line and column at which a value begins, both from 1, in a text that ``read(_:limits:)`` has read. Values know no
  /// places: few texts have an error, and those are read again. Where a step leads nowhere, the place of the value before it.
  package static func place(of path: [JSONStep], in bytes: [UInt8]) -> (line: Int, column: Int) {
    var reader = JSONReader(bytes: bytes, nesting: .max)
    reader.skipSpace()
    for step in path {
      let start = reader.offset
      guard (try? reader.enter(step)) == true else {
        reader.offset = start
        break
      }
    }
    return TextPlace.of(reader.offset, in: bytes)
  }

  /// Goes from the opening bracket of an object or array to the value that `step` names in it.
  private mutating func enter(_ step: JSONStep) throws(GrammarError) -> Bool {
    guard next == UInt8(ascii: "{") || next == UInt8(ascii: "[") else { return false }
    let isObject = next == UInt8(ascii: "{")
    offset += 1
    var index = 0
    repeat {
      skipSpace()
      guard next != UInt8(ascii: "}"), next != UInt8(ascii: "]") else { return false }
      var key: [UInt8] = []
      if isObject {
        key = try string()
        skipSpace()
        _ = skip(UInt8(ascii: ":"))
        skipSpace()
      }
      switch step {
      case .key(let wanted): if isObject, key == Array(wanted.utf8) { return true }
      case .index(let wanted): if !isObject, index == wanted { return true }
      }
      _ = try value()
      skipSpace()
      index += 1
    } while skip(UInt8(ascii: ","))
    return false
  }
}
