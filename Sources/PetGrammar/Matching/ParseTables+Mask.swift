// SPDX-License-Identifier: Apache-2.0
extension ParseTables {
  /// How much memory tables may take before their matchers move to new ones, and twice that before a walk does.
  struct Budget: Sendable {
    var tableBytes: Int
    var walkBytes: Int { tableBytes * 2 }
  }

  /// Which tokens may follow a state. Stored ones take O(1).
  mutating func mask(of state: Int32, _ vocabulary: TokenVocabulary, _ budget: Budget) -> TokenMask {
    if let known = masks.mask(of: state) { return known }
    var words = composed(state, vocabulary, budget) ?? walked(state, vocabulary, budget)
    if notes[Int(state)].isComplete {
      for token in vocabulary.endTokens { words[Int(token) / 64] |= 1 << UInt64(token % 64) }
    }
    let mask = TokenMask(words: words)
    masks.insert(mask, for: state)
    return mask
  }

  /// Tries all tokens from the state itself.
  private mutating func walked(_ state: Int32, _ vocabulary: TokenVocabulary, _ budget: Budget) -> [UInt64] {
    var walk = TrieWalk(vocabulary, collectsExits: false)
    walk.begin(at: state)
    run(&walk, budget)
    return walk.words
  }

  /// Joins the masks of the state's groups of positions, and tries only those tokens that outrun their group.
  ///
  /// Nil where there are many groups, or where the result might differ from trying all: near the bound of depth, or of
  /// stacks, which a group by itself does not see.
  private mutating func composed(_ state: Int32, _ vocabulary: TokenVocabulary, _ budget: Budget) -> [UInt64]? {
    let parts = groups(of: state, longestToken: vocabulary.longestToken)
    // One walk with many stacks costs less than many walks.
    guard parts.count <= 8 else { return nil }
    var words: [UInt64] = []
    var load = 0
    for part in parts {
      let local = localMask(of: part.state, vocabulary, budget)
      guard !local.isCut, depths[Int(part.base)] + local.reach <= Int32(automaton.limits.depth) else { return nil }
      load += Int(local.load)
      if words.isEmpty {
        words = local.words
      } else {
        for index in words.indices { words[index] |= local.words[index] }
      }
      guard !local.exits.isEmpty, part.base != Self.bottom else { continue }
      let rest = returnState(of: part.base)
      if rest == Self.overflow { return nil }
      var walk = TrieWalk(vocabulary, collectsExits: false)
      walk.words = words
      walk.load = notes[Int(rest)].load
      for exit in local.exits where walk.trie.ends[Int(exit)] > exit + 1 {
        walk.begin(at: rest, after: exit)
        run(&walk, budget)
      }
      guard !walk.isCut else { return nil }
      words = walk.words
      load += local.nesting * Int(walk.load)
    }
    guard load <= automaton.limits.stacks else { return nil }
    return words.isEmpty ? [UInt64](repeating: 0, count: (vocabulary.count + 63) / 64) : words
  }

  private mutating func localMask(of state: Int32, _ vocabulary: TokenVocabulary, _ budget: Budget) -> LocalMask {
    if let known = masks.local(of: state) { return known }
    var walk = TrieWalk(vocabulary, collectsExits: true)
    walk.begin(at: state)
    walk.reach = notes[Int(state)].reach
    walk.load = notes[Int(state)].load
    run(&walk, budget)
    let mask = LocalMask(walk)
    masks.insert(mask, for: state)
    return mask
  }

  /// The state of those who wait on a node, when what they wait for is over.
  private mutating func returnState(of node: Int32) -> Int32 {
    scratch.reset()
    for index in nodes.range(of: node) {
      let frame = Frame(word: nodes[index])
      if frame.isBottom { scratch.isComplete = true } else { arrive(frame.target, frame.node) }
    }
    return close()
  }

  /// Runs a walk to its end. Where these tables grow too large it goes on in others, which are dropped afterwards.
  private mutating func run(_ walk: inout TrieWalk, _ budget: Budget) {
    if bytes <= budget.walkBytes {
      advance(&walk, byteLimit: budget.walkBytes)
    }
    guard !walk.nodes.isEmpty else { return }
    var source = ParseTables(automaton, maskBytes: 0)
    source.adopt(&walk, from: self)
    while true {
      source.advance(&walk, byteLimit: source.bytes + budget.tableBytes)
      guard !walk.nodes.isEmpty else { return }
      var next = ParseTables(automaton, maskBytes: 0)
      next.adopt(&walk, from: source)
      source = next
    }
  }

  private mutating func adopt(_ walk: inout TrieWalk, from other: borrowing ParseTables) {
    guard walk.nodes.lowerBound < walk.trie.count else { return }
    let length = Int(walk.trie.lengths[walk.nodes.lowerBound])
    for index in 0..<length { walk.path[index] = adopt(other.export(walk.path[index])) }
  }
}
