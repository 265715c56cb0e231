// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// How many answers each rung gave.
package struct AnswerShares: Sendable, Equatable, Codable {
  package private(set) var counts: [Rung: Int] = [:]

  mutating func count(_ rung: Rung) { counts[rung, default: 0] += 1 }
}
