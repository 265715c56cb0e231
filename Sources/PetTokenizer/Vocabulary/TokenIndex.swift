/// Finds tokens by their bytes without making a string of any: open addressing over ids, comparing in the table.
struct TokenIndex: Sendable {
  /// Id + 1, or 0 for a free slot. The number of slots is a power of two, at least 4/3 of the entries.
  private var slots: [UInt32]
  /// Drawn per process, so that a file cannot be made whose tokens all collide.
  private let seed = UInt64.random(in: .min ... .max) | 1

  init(capacity: Int) {
    var size = 16
    while size * 3 < capacity * 4 { size *= 2 }
    slots = Array(repeating: 0, count: size)
  }

  /// Of two equal tokens the first counts.
  ///
  /// - Returns: whether the token was new.
  @discardableResult
  mutating func insert(_ id: Int, in table: TokenTable.View) -> Bool {
    let slot = slot(of: table[id], in: table)
    guard slots[slot] == 0 else { return false }
    slots[slot] = UInt32(id) + 1
    return true
  }

  func find(_ key: UnsafeBufferPointer<UInt8>, in table: TokenTable.View) -> Int32? {
    let entry = slots[slot(of: key, in: table)]
    return entry == 0 ? nil : Int32(entry - 1)
  }

  /// The slot that holds the key, or the free one where it belongs.
  private func slot(of key: UnsafeBufferPointer<UInt8>, in table: TokenTable.View) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash(key)) & mask
    while slots[slot] != 0, !Self.areEqual(table[Int(slots[slot] - 1)], key) { slot = (slot + 1) & mask }
    return slot
  }

  /// Tokens are short: a loop is faster than a call.
  @inline(__always)
  private static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }

  /// Multiply and fold, eight bytes at a time, with a secret factor.
  private func hash(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var state = seed ^ UInt64(key.count)
    var word: UInt64 = 0
    for (index, byte) in key.enumerated() {
      word = word << 8 | UInt64(byte)
      if index & 7 == 7 {
        state = (state ^ word).folded(by: seed)
        word = 0
      }
    }
    return (state ^ word).folded(by: seed)
  }
}

extension UInt64 {
  /// High and low half of the product, mixed.
  @inline(__always)
  func folded(by factor: UInt64) -> UInt64 {
    let product = multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }
}
