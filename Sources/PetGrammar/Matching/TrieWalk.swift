// SPDX-License-Identifier: Apache-2.0
/// A walk of the vocabulary's trie through the automaton, which may be interrupted between nodes.
struct TrieWalk {
  let trie: TokenTrie
  var words: [UInt64]
  var exits: [Int32] = []
  let collectsExits: Bool
  var reach: Int32 = 0
  var load: Int32 = 0
  var isCut = false
  /// The nodes that are still to be visited.
  var nodes: Range<Int> = 0..<0
  /// The state after each length of the current prefix; the first is the state before the prefix.
  var path: [Int32]

  init(_ vocabulary: TokenVocabulary, collectsExits: Bool) {
    trie = vocabulary.trie
    words = [UInt64](repeating: 0, count: (vocabulary.count + 63) / 64)
    path = [Int32](repeating: ParseTables.dead, count: vocabulary.longestToken + 1)
    self.collectsExits = collectsExits
  }

  /// Sets out to visit the whole trie from a state.
  mutating func begin(at state: Int32) {
    path[0] = state
    nodes = 0..<trie.count
  }

  /// Sets out to visit what a node of the trie begins, from a state that holds after the node.
  mutating func begin(at state: Int32, after node: Int32) {
    path[Int(trie.lengths[Int(node)])] = state
    nodes = Int(node) + 1..<Int(trie.ends[Int(node)])
  }

  /// How many of the exits are on one path at most.
  var nesting: Int {
    var (open, most) = ([Int32](), 0)
    for exit in exits {
      while let end = open.last, end <= exit { open.removeLast() }
      open.append(trie.ends[Int(exit)])
      most = max(most, open.count)
    }
    return most
  }
}

extension ParseTables {
  /// Visits nodes until none are left, or until these tables take more than `byteLimit` bytes; then `walk.nodes` is what
  /// is left. At least one node is visited.
  mutating func advance(_ walk: inout TrieWalk, byteLimit: Int) {
    var node = walk.nodes.lowerBound
    let end = walk.nodes.upperBound
    var known = notes.count
    let trie = walk.trie
    while node < end {
      let length = Int(trie.lengths[node])
      let next = step(walk.path[length - 1], trie.bytes[node])
      if Self.isDead(next) {
        if next == Self.overflow { walk.isCut = true }
        node = Int(trie.ends[node])
      } else {
        walk.path[length] = next
        for index in Int(trie.firstTokens[node])..<Int(trie.firstTokens[node + 1]) {
          let token = Int(trie.tokens[index])
          walk.words[token >> 6] |= 1 << UInt64(token & 63)
        }
        let note = notes[Int(next)]
        walk.reach = max(walk.reach, note.reach)
        walk.load = max(walk.load, note.load)
        if walk.collectsExits && note.isComplete { walk.exits.append(Int32(node)) }
        node += 1
      }
      if notes.count > known {
        known = notes.count
        if bytes > byteLimit { break }
      }
    }
    walk.nodes = node..<max(node, end)
  }
}
