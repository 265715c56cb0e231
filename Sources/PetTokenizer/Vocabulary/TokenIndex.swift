// SPDX-License-Identifier: Apache-2.0
/// Finds tokens by their bytes without making a string of any: open addressing over ids, comparing in the table.
struct TokenIndex: Sendable {
  let hash = ByteHash()
  /// Id + 1 below, the hash's upper bits above; 0 for a free slot.
  private let slots: [UInt32]
  /// A hash of each token that is here, by id; 0 for those that are not.
  let hashes: [UInt32]
  /// The first token that equals one before it, which is not here.
  let firstRepeated: Int?

  private static let idBits: UInt32 = 21
  private static let idMask: UInt32 = 1 << idBits - 1

  /// - Parameters:
  ///   - tokens: at most ``Vocabulary/maximumTokenCount``. Of two equal ones the first counts.
  ///   - isIncluded: whether the token of an id can be found.
  init(_ tokens: TokenTable, where isIncluded: (Int, UnsafeBufferPointer<UInt8>) -> Bool) {
    precondition(tokens.count < Self.idMask)
    var slots = [UInt32](repeating: 0, count: Self.slotCount(for: tokens.count))
    var hashes = [UInt32](repeating: 0, count: tokens.count)
    var firstRepeated: Int?
    let hash = hash
    tokens.withView { tokens in
      slots.withUnsafeMutableBufferPointer { slots in
        hashes.withUnsafeMutableBufferPointer { hashes in
          LookAhead.run(tokens.count) { id in
            let token = tokens[id]
            guard isIncluded(id, token) else { return nil }
            let hash = hash(token)
            slots.prefetch(Self.home(of: hash, slots.count))
            return hash
          } finish: { id, hash in
            let slot = Self.slot(of: tokens[id], hash, in: UnsafeBufferPointer(slots), tokens)
            if slots[slot] == 0 {
              slots[slot] = Self.tag(hash) | UInt32(truncatingIfNeeded: id + 1)
              hashes[id] = Self.short(hash)
            } else {
              firstRepeated = firstRepeated ?? id
            }
          }
        }
      }
    }
    self.slots = slots
    self.hashes = hashes
    self.firstRepeated = firstRepeated
  }

  /// A power of two, at least 3/2 of the entries.
  static func slotCount(for entries: Int) -> Int {
    var size = 16
    while size * 2 < entries * 3 { size *= 2 }
    return size
  }

  /// - Parameter tokens: the table that the index was made of.
  func find(_ key: UnsafeBufferPointer<UInt8>, in tokens: TokenTable.View) -> Int32? {
    slots.withUnsafeBufferPointer { slots in
      let entry = slots[Self.slot(of: key, hash(key), in: slots, tokens)]
      return entry == 0 ? nil : Int32(entry & Self.idMask) - 1
    }
  }

  /// What ``hashes`` has for a token of this hash.
  @inline(__always)
  static func short(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) | 1 }

  /// The slot that holds the key, or the free one where it belongs.
  @inline(__always)
  private static func slot(
    of key: UnsafeBufferPointer<UInt8>, _ hash: UInt64, in slots: UnsafeBufferPointer<UInt32>,
    _ tokens: TokenTable.View
  ) -> Int {
    let mask = slots.count - 1
    let tag = tag(hash)
    var slot = home(of: hash, slots.count)
    while true {
      let entry = slots[slot]
      // Most other keys differ in the tag already, and their bytes need not be looked at.
      if entry == 0 || (entry & ~idMask == tag && tokens[Int(entry & idMask) - 1].equals(key)) { return slot }
      slot = (slot + 1) & mask
    }
  }

  /// Where the search for a hash begins.
  @inline(__always)
  private static func home(of hash: UInt64, _ slotCount: Int) -> Int { Int(truncatingIfNeeded: hash) & (slotCount - 1) }

  @inline(__always)
  private static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & ~idMask }
}
