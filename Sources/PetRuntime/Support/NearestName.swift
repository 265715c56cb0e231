// SPDX-License-Identifier: Apache-2.0
/// What was probably meant by a name that nobody knows.
package enum NearestName {
  /// Longer names are cut before they are compared.
  private static let longest = 64

  /// The name that takes the fewest changes, at most one for three letters of `name`; of several, the first. A beginning of three
  /// letters or more means the first name that begins so. Small letters and capitals are alike.
  /// - Complexity: the number of names times the squared length of one, of which 64 letters count.
  package static func of(_ name: String, among names: some Sequence<String>) -> String? {
    let typed = Array(name.prefix(longest).lowercased())
    var best: (name: String, changes: Int)?
    for other in names {
      let known = Array(other.prefix(longest).lowercased())
      let isBeginning = typed.count >= 3 && known.starts(with: typed)
      let changes = isBeginning ? 1 : changes(typed, known)
      if changes <= max(1, (typed.count + 1) / 3), changes < typed.count, changes < best?.changes ?? .max {
        best = (other, changes)
      }
    }
    return best?.name
  }

  /// " (did you mean NAME?)", or nothing.
  /// - Parameter synonyms: other words for the names, in lower case.
  package static func hint(
    for name: String, among names: some Sequence<String>, synonyms: [String: String] = [:]
  ) -> String {
    (synonyms[name.lowercased()] ?? of(name, among: names)).map { " (did you mean \($0)?)" } ?? ""
  }

  /// Letters to insert, delete or exchange, and neighbours to swap: optimal string alignment (Damerau 1964).
  private static func changes(_ first: [Character], _ second: [Character]) -> Int {
    var (before, row) = ([Int](), Array(0...second.count))
    for line in first.indices {
      var next = [line + 1]
      for column in second.indices {
        let exchange = row[column] + (first[line] == second[column] ? 0 : 1)
        var least = min(exchange, row[column + 1] + 1, next[column] + 1)
        if line > 0, column > 0, first[line] == second[column - 1], first[line - 1] == second[column] {
          least = min(least, before[column - 1] + 1)
        }
        next.append(least)
      }
      (before, row) = (row, next)
    }
    return row[second.count]
  }
}
