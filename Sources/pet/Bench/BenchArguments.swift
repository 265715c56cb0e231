// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Numbers of tokens: "128", or several with commas.
struct TokenCounts: ExpressibleByArgument {
  static let range = 0...1_000_000
  var values: [Int]

  init(_ values: [Int]) { self.values = values }

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    let values = parts.compactMap { $0 }.filter(Self.range.contains)
    guard values.count == parts.count else { return nil }
    self.values = values
  }

  var defaultValueDescription: String { values.map(String.init).joined(separator: ",") }
}

/// A prompt and the reply to it: "128,64".
struct PromptAndReply: ExpressibleByArgument {
  var prompt: Int
  var reply: Int

  init?(argument: String) {
    guard let counts = TokenCounts(argument: argument)?.values, counts.count == 2, !counts.contains(0) else {
      return nil
    }
    (prompt, reply) = (counts[0], counts[1])
  }
}
