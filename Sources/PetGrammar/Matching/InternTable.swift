// SPDX-License-Identifier: Apache-2.0
/// Gives equal sequences of words the same number. Open addressing, linear probing.
struct InternTable {
  private var words: [UInt64] = []
  /// Where each sequence ends.
  private var ends: [Int] = []
  private var slots = [Int32](repeating: -1, count: 64)
  /// Drawn per table, so that no grammar can be made whose states all collide.
  private let secret = UInt64.random(in: .min ... .max) | 1

  var count: Int { ends.count }
  /// About how much memory the table takes.
  var bytes: Int { words.count * 8 + ends.count * 8 + slots.count * 4 }

  @inline(__always)
  func range(of id: Int32) -> Range<Int> {
    let index = Int(id)
    return (index == 0 ? 0 : ends[index - 1])..<ends[index]
  }

  @inline(__always)
  subscript(word: Int) -> UInt64 { words[word] }

  func sequence(_ id: Int32) -> ArraySlice<UInt64> { words[range(of: id)] }

  /// The number of `key`, and whether it is new. O(key).
  mutating func intern(_ key: [UInt64]) -> (id: Int32, isNew: Bool) {
    if (ends.count + 1) * 2 > slots.count { grow() }
    var slot = Int(truncatingIfNeeded: hash(key[...])) & (slots.count - 1)
    while slots[slot] >= 0 {
      if equals(slots[slot], key) { return (slots[slot], false) }
      slot = (slot + 1) & (slots.count - 1)
    }
    let id = Int32(ends.count)
    slots[slot] = id
    words += key
    ends.append(words.count)
    return (id, true)
  }

  private func equals(_ id: Int32, _ key: [UInt64]) -> Bool {
    let range = range(of: id)
    guard range.count == key.count else { return false }
    for index in key.indices where words[range.lowerBound + index] != key[index] { return false }
    return true
  }

  private func hash(_ key: ArraySlice<UInt64>) -> UInt64 {
    var state = secret ^ UInt64(key.count)
    for word in key {
      let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15 ^ secret)
      state = product.high ^ product.low
    }
    return state
  }

  private mutating func grow() {
    slots = [Int32](repeating: -1, count: slots.count * 2)
    for id in 0..<Int32(ends.count) {
      var slot = Int(truncatingIfNeeded: hash(sequence(id))) & (slots.count - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = id
    }
  }
}
