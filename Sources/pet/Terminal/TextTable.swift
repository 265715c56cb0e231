// SPDX-License-Identifier: Apache-2.0
import PetCommandLine

/// Columns aligned with spaces, a heading above.
package struct TextTable {
  private let heading: [String]
  private var rows: [[String]] = []

  package init(_ heading: [String]) {
    self.heading = heading
  }

  package mutating func add(_ row: [String]) {
    rows.append(row.map(TerminalText.line))
  }

  package var text: String {
    let all = [heading] + rows
    let widths = heading.indices.map { column in all.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return all.map { row in
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
