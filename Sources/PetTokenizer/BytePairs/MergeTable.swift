/// The merge rules of a byte-pair vocabulary, found by the two ids that they join.
struct MergeTable: Sendable {
  struct Rule: Sendable {
    var left: Int32
    var right: Int32
    /// Rules of lower rank are applied first. Negative in a free slot.
    var rank: Int32
    /// The token that replaces the pair.
    var merged: Int32
  }

  /// Open addressing; a power of two, at least twice the number of rules, since most look-ups find nothing.
  private var slots: [Rule]
  private let seed = UInt64.random(in: .min ... .max) | 1

  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    slots = Array(repeating: Rule(left: 0, right: 0, rank: -1, merged: 0), count: size)
  }

  /// Of two rules for one pair the first counts.
  mutating func insert(_ rule: Rule) {
    let slot = slot(rule.left, rule.right)
    if slots[slot].rank < 0 { slots[slot] = rule }
  }

  /// The rule for a pair; its rank is negative where there is none.
  @inline(__always)
  func rule(_ left: Int32, _ right: Int32) -> Rule { slots[slot(left, right)] }

  @inline(__always)
  private func slot(_ left: Int32, _ right: Int32) -> Int {
    let mask = slots.count - 1
    let key = UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
    var slot = Int(truncatingIfNeeded: (key ^ seed).folded(by: 0x9E37_79B9_7F4A_7C15 ^ seed)) & mask
    while slots[slot].rank >= 0, slots[slot].left != left || slots[slot].right != right {
      slot = (slot + 1) & mask
    }
    return slot
  }
}
