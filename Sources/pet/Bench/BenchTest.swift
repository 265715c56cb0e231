// SPDX-License-Identifier: Apache-2.0
/// One thing to measure: reading a prompt (pp), writing a reply (tg), or both one after the other (pg).
struct BenchTest: Equatable {
  /// Tokens read in one go.
  var prompt = 0
  /// Tokens written one by one.
  var reply = 0
  /// Tokens that are in the context before.
  var depth = 0
  /// Sequences that are written at once, each of them `reply` tokens.
  var sequences = 1

  /// "pp128", "tg64", "pg128+64"; "tg64@d512" with 512 tokens before, "tg64x8" of eight sequences.
  var name: String {
    let what = reply == 0 ? "pp\(prompt)" : prompt == 0 ? "tg\(reply)" : "pg\(prompt)+\(reply)"
    return (sequences == 1 ? what : "\(what)x\(sequences)") + (depth == 0 ? "" : "@d\(depth)")
  }

  /// Of all sequences.
  var tokens: Int { prompt + reply * sequences }
  /// The context that a sequence needs.
  var positions: Int { depth + prompt + reply }

  /// Cached positions that the tokens of the reply see, on average, where none sees more than `window`.
  func meanSeen(window: Int?) -> Double {
    guard reply > 0 else { return 0 }
    let first = depth + prompt
    return (0..<reply).reduce(0.0) { $0 + Double(min(first + $1 + 1, window ?? .max)) } / Double(reply)
  }
}
