/// Which tokens may come next: the hook for grammars. A mask follows the tokens that were chosen.
public protocol TokenMask: Sendable {
  /// Whether `token` may follow what was accepted so far.
  func allows(_ token: Int32) -> Bool
  /// Moves on over a chosen token.
  mutating func accept(_ token: Int32)
}
