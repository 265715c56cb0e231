/// One thing to measure: reading a prompt (pp), writing a reply (tg), or both one after the other (pg).
struct BenchTest: Equatable {
  /// Tokens read in one go.
  var prompt = 0
  /// Tokens written one by one.
  var reply = 0
  /// Tokens that are in the context before.
  var depth = 0

  /// "pp128", "tg64", "pg128+64"; "tg64@d512" with 512 tokens before.
  var name: String {
    let what = reply == 0 ? "pp\(prompt)" : prompt == 0 ? "tg\(reply)" : "pg\(prompt)+\(reply)"
    return depth == 0 ? what : "\(what)@d\(depth)"
  }

  var tokens: Int { prompt + reply }
  /// The context it needs.
  var positions: Int { depth + tokens }

  /// Cached positions that the tokens of the reply see, on average, where none sees more than `window`.
  func meanSeen(window: Int?) -> Double {
    guard reply > 0 else { return 0 }
    let first = depth + prompt
    return (0..<reply).reduce(0.0) { $0 + Double(min(first + $1 + 1, window ?? .max)) } / Double(reply)
  }
}
