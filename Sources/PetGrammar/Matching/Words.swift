// SPDX-License-Identifier: Apache-2.0
/// A position of the automaton with what is below it on the stack, in one word.
struct Configuration {
  var word: UInt64

  init(_ position: Int32, _ node: Int32) {
    word = UInt64(UInt32(bitPattern: position)) << 32 | UInt64(UInt32(bitPattern: node))
  }

  init(word: UInt64) { self.word = word }

  var position: Int32 { Int32(truncatingIfNeeded: word >> 32) }
  var node: Int32 { Int32(truncatingIfNeeded: word) }

  /// In a state's list of configurations: the text so far is whole.
  static let completeWord = UInt64.max
}

/// Where a callee returns to: a position of the caller and what is below the caller. A stack node is a set of these,
/// since several callers may wait for one callee.
struct Frame {
  var word: UInt64

  /// - Parameter isRecursive: whether the frame counts against the bound of depth.
  init(_ target: Int32, isRecursive: Bool, below node: Int32) {
    let mark: UInt64 = isRecursive ? 1 << 63 : 0
    word = mark | UInt64(UInt32(bitPattern: target)) << 32 | UInt64(UInt32(bitPattern: node))
  }

  init(word: UInt64) { self.word = word }

  /// The end of the stack.
  static let bottomWord = UInt64.max

  var isBottom: Bool { word == Self.bottomWord }
  var isRecursive: Bool { word >> 63 == 1 }
  var target: Int32 { Int32(truncatingIfNeeded: word >> 32 & 0x7FFF_FFFF) }
  var node: Int32 { Int32(truncatingIfNeeded: word) }
}
