// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// How many answers each rung gave.
public struct AnswerShares: Sendable, Equatable, Codable {
  public private(set) var counts: [Rung: Int] = [:]

  mutating func count(_ rung: Rung) { counts[rung, default: 0] += 1 }
}
