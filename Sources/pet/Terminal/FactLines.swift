// SPDX-License-Identifier: Apache-2.0
import PetCommandLine

/// "label  value" lines, the values in one column.
package enum FactLines {
  package static func text(_ facts: [(label: String, value: String)]) -> String {
    let width = facts.map(\.label.count).max() ?? 0
    return facts.map { fact in
      let padding = String(repeating: " ", count: width - fact.label.count)
      return "\(fact.label)\(padding)  \(TerminalText.line(fact.value))\n"
    }.joined()
  }
}
