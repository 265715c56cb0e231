// SPDX-License-Identifier: Apache-2.0
/// The tokens that a group of positions allows by itself, whatever is below it on the stack: XGrammar's
/// context-independent tokens (https://arxiv.org/abs/2411.15100, section 3.1).
final class LocalMask: Sendable {
  let words: [UInt64]
  /// Nodes of the trie at which the group's stack is used up: tokens that go on there depend on the stack below. Ascending.
  let exits: [Int32]
  /// How many exits are on one path of the trie at most.
  let nesting: Int
  /// The greatest depth and load that any state of the walk asked for.
  let reach: Int32
  let load: Int32
  /// Whether the limit of stacks cut anything off.
  let isCut: Bool

  init(_ walk: TrieWalk) {
    words = walk.words
    exits = walk.exits
    reach = walk.reach
    load = walk.load
    isCut = walk.isCut
    nesting = walk.nesting
  }

  var bytes: Int { words.count * 8 + exits.count * 4 + 96 }
}

/// Masks that were made, by state; those least recently used go when there is no room.
struct MaskStore {
  private struct Entry<Value> {
    var value: Value
    var lastUse: UInt64
  }

  let limit: Int
  private(set) var bytes = 0
  private var clock: UInt64 = 0
  private var masks: [Int32: Entry<TokenMask>] = [:]
  private var locals: [Int32: Entry<LocalMask>] = [:]

  init(limit: Int) { self.limit = limit }

  mutating func mask(of state: Int32) -> TokenMask? {
    clock += 1
    guard let index = masks.index(forKey: state) else { return nil }
    masks.values[index].lastUse = clock
    return masks.values[index].value
  }

  mutating func local(of state: Int32) -> LocalMask? {
    clock += 1
    guard let index = locals.index(forKey: state) else { return nil }
    locals.values[index].lastUse = clock
    return locals.values[index].value
  }

  mutating func insert(_ mask: TokenMask, for state: Int32) {
    clock += 1
    bytes += mask.bytes
    masks[state] = Entry(value: mask, lastUse: clock)
    makeRoom()
  }

  mutating func insert(_ local: LocalMask, for state: Int32) {
    clock += 1
    bytes += local.bytes
    locals[state] = Entry(value: local, lastUse: clock)
    makeRoom()
  }

  /// Drops the older half: one pass over all entries pays for many insertions.
  private mutating func makeRoom() {
    guard bytes > limit else { return }
    let uses = (masks.values.map(\.lastUse) + locals.values.map(\.lastUse)).sorted()
    guard !uses.isEmpty else { return }
    let oldest = uses[uses.count / 2]
    masks = masks.filter { $0.value.lastUse > oldest }
    locals = locals.filter { $0.value.lastUse > oldest }
    bytes = masks.values.reduce(0) { $0 + $1.value.bytes } + locals.values.reduce(0) { $0 + $1.value.bytes }
  }
}
