// SPDX-License-Identifier: Apache-2.0
/// Why not everything was forgotten: what went, and what is still there.
public struct ForgettingError: Error, CustomStringConvertible {
  /// What a pet keeps, in the order in which it goes.
  package enum Part: String, Sendable, CaseIterable {
    case memories = "the memories"
    case key = "their former key and memories put aside"
    case answers = "the kept answers"
    case conversations = "the conversations"
    case asides = "states put aside"
    case state = "the state"
  }

  /// Not empty. Where it holds the memories, nothing was forgotten.
  package let left: [(part: Part, cause: any Error)]

  package init(_ left: [(part: Part, cause: any Error)]) { self.left = left }

  package var isNothingForgotten: Bool { left.contains { $0.part == .memories } }

  /// One line.
  public var description: String {
    let first = Part.allCases.compactMap { part in left.first { $0.part == part } }
    if isNothingForgotten, let cause = first.first?.cause { return "nothing was forgotten: \(cause)" }
    let gone = Part.allCases.filter { part in !left.contains { $0.part == part } }.map(\.rawValue)
    let there = first.map { "\($0.part.rawValue) (\($0.cause))" }
    return "not everything was forgotten; gone: \(gone.joined(separator: ", ")); still there: "
      + "\(there.joined(separator: ", ")); mend that, and forget everything again"
  }
}
