// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import FoundationEssentials

/// JSON for programs: sorted keys, one document per call.
package enum JSONOutput {
  package static func text(_ value: some Encodable, isPretty: Bool = true) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  package static func write(
    _ value: some Encodable, isPretty: Bool = true, to output: Output = .standard
  ) throws {
    output.writeLine(try text(value, isPretty: isPretty))
  }
}
