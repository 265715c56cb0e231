// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// One of the four: how its inputs are read, asked about and told of.
protocol Classification: Sendable {
  associatedtype Input: Sendable
  associatedtype Result: Encodable & Sendable

  /// What an input is called: "picture".
  static var noun: String { get }
  /// What the names of its files end in.
  static var endings: [String] { get }
  /// Bytes of the largest file that is read.
  static var byteLimit: Int { get }
  /// Whether standard input holds several, one behind the other.
  static var isSequence: Bool { get }
  /// What to give in the place of what was refused.
  static var advice: String { get }
  /// What to know about every result.
  static var caution: String { get }

  /// - Throws: `ClassifierError`.
  func decode(_ bytes: [UInt8]) throws -> Input
  /// - Parameter index: counts the inputs from 0.
  /// - Throws: `ModelError`.
  func classify(_ input: Input, index: Int, with classifiers: Classifiers) async throws -> Result
  /// - Parameter showsBoxes: whether where was looked, and what else helps to find a fault, is drawn too.
  func drawing(
    _ input: Input, _ result: Result, showsBoxes: Bool, with classifiers: Classifiers
  ) async throws -> Picture
  /// One line.
  func summary(_ result: Result) -> String
  func facts(_ result: Result) -> [(label: String, value: String)]
}

/// Numbers for people.
enum Shown {
  static func percent(_ part: Float) -> String { "\(Int((part * 100).rounded())) %" }
  static func percent(_ part: Double) -> String { percent(Float(part)) }

  /// Without what is behind the point, as far as an `Int` goes: what another process says may be any number.
  static func whole(_ value: Double) -> Int { Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max) }

  static func tenths(_ value: Float) -> String { "\((value * 10).rounded() / 10)" }

  /// A ranking, and whether it comes to nothing.
  static func judgement(_ ranking: String, isClear: Bool) -> String { isClear ? ranking : "unclear: \(ranking)" }

  /// The likeliest, then the next, where they are more than nothing: "happy 80 %, then neutral 12 %".
  static func ranking(_ parts: some Sequence<(name: String, part: Float)>, count: Int = 2) -> String {
    let best = parts.filter { $0.part >= 0.005 }.sorted { ($1.part, $0.name) < ($0.part, $1.name) }.prefix(count)
    return best.map { "\($0.name) \(percent($0.part))" }.joined(separator: ", then ")
  }
}
