// SPDX-License-Identifier: Apache-2.0
/// A step from a JSON value into it.
package enum JSONStep: Sendable, Equatable {
  case key(String)
  case index(Int)
}

extension JSONReader {
  /// The line and column at which a value begins, both from 1, in a text that was read. Values know no places: few texts
  /// have an error, and those are read again. Where a step leads nowhere, the place of the value before it.
  package static func place(of path: [JSONStep], in bytes: [UInt8]) -> (line: Int, column: Int) {
    var reader = JSONReader(unchecked: bytes)
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
  private mutating func enter(_ step: JSONStep) throws(JSONError) -> Bool {
    switch (try kind(), step) {
    case (.object, .key(let wanted)):
      _ = try beginObject()
      var isFirst = true
      while let (key, _) = try nextKey(isFirst: isFirst) {
        isFirst = false
        skipSpace()
        if key == Array(wanted.utf8) { return true }
        _ = try value(.lastWins)
      }
    case (.array, .index(let wanted)):
      var (elements, index) = (try beginArray(), 0)
      while try nextElement(&elements) {
        skipSpace()
        if index == wanted { return true }
        _ = try value(.lastWins)
        index += 1
      }
    default: break
    }
    return false
  }
}
