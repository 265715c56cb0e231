// SPDX-License-Identifier: Apache-2.0
/// Caches the keys and values of finished sequences and finds the longest cached prefix of a prompt: a radix tree whose edges are
/// blocks, as in SGLang (arXiv:2312.07104). Blocks are shared with the sequences, not copied.
package final class PrefixCache {
  private final class Node {
    /// The tokens of one block; only a leaf may have fewer than a block holds.
    var tokens: ArraySlice<Int32>
    /// nil for the root.
    var block: KVBlock?
    var children: [Node] = []
    var lastUse: UInt64 = 0

    init(_ tokens: ArraySlice<Int32> = [], _ block: KVBlock? = nil) {
      self.tokens = tokens
      self.block = block
    }

    /// The child with the longest common prefix with `tokens`. O(children).
    func closest(to tokens: ArraySlice<Int32>) -> (child: Node, common: Int)? {
      var best: (child: Node, common: Int)?
      for child in children {
        let common = zip(child.tokens, tokens).prefix { $0 == $1 }.count
        if common > best?.common ?? 0 { best = (child, common) }
      }
      return best
    }
  }

  private let pool: KVBlockPool
  /// Most bytes of this cache; also the bound on the whole pool that eviction here aims at.
  private let budget: Int
  private var roots: [KVOrigin: Node] = [:]
  /// Blocks in the cache.
  private var count = 0
  private var time: UInt64 = 0
  /// Increases whenever an insertion adds tokens.
  package private(set) var generation: UInt64 = 0

  package init(_ pool: KVBlockPool, budget: Int) {
    self.pool = pool
    self.budget = budget
  }

  /// The longest cached prefix of `prompt`; evicts nodes on the way whose mapped file was truncated.
  /// O(prompt + children of the nodes on the path).
  package func longestPrefix(of prompt: ArraySlice<Int32>, origin: KVOrigin) -> KVPrefix {
    time += 1
    var (node, rest) = (roots[origin], prompt)
    var blocks: [KVBlock] = []
    while let parent = node, let (child, common) = parent.closest(to: rest) {
      if child.block?.file?.isLost == true {
        // Its descendants are unusable without it.
        parent.children.removeAll { $0 === child }
        count -= Self.takeApart([child])
        continue
      }
      child.lastUse = time
      if let block = child.block { blocks.append(block) }
      rest = rest.dropFirst(common)
      node = common == KVLayout.blockPositions ? child : nil
    }
    return KVPrefix(tokens: Array(prompt.dropLast(rest.count)), blocks: blocks, origin: origin)
  }

  /// Adds a sequence.
  package func insert(_ prefix: KVPrefix) {
    guard budget > 0 else { return }
    time += 1
    var node = roots[prefix.origin] ?? Node()
    roots[prefix.origin] = node
    var rest = prefix.tokens[...]
    for block in prefix.blocks {
      let part = rest.prefix(KVLayout.blockPositions)
      rest = rest.dropFirst(part.count)
      if let known = node.children.first(where: { $0.tokens.starts(with: part) }) {
        node = known
      } else {
        generation += 1
        if let shorter = node.children.first(where: { part.starts(with: $0.tokens) }) {
          // The same sequence, extended.
          (shorter.tokens, shorter.block) = (ArraySlice(Array(part)), block)
          node = shorter
        } else {
          let new = Node(ArraySlice(Array(part)), block)
          count += 1
          node.children.append(new)
          node = new
        }
      }
      node.lastUse = time
    }
    evict()
  }

  deinit { removeAll() }

  /// Evicts everything.
  package func removeAll() {
    let all = Array(roots.values)
    (roots, count) = ([:], 0)
    Self.takeApart(all)
  }

  /// Removes `nodes` and their descendants; returns their number. Iterative: a long conversation is a long chain, which
  /// recursive deallocation would overflow the stack with.
  @discardableResult
  private static func takeApart(_ nodes: [Node]) -> Int {
    var (open, count) = (nodes, 0)
    while let node = open.popLast() {
      count += 1
      open += node.children
      node.children = []
    }
    return count
  }

  /// Evicts the least recently used blocks until the cache fits the budget, then those that no sequence uses until the pool
  /// does. O(nodes) per evicted block.
  package func evict() {
    while count * pool.layout.blockBytes > budget, removeOldestLeaf(unused: false) {}
    while pool.byteCount > budget, removeOldestLeaf(unused: true) {}
  }

  private func removeOldestLeaf(unused: Bool) -> Bool {
    guard let (parent, oldest) = oldestLeaf(unused: unused) else { return false }
    parent.children.removeAll { $0 === oldest }
    count -= 1
    return true
  }

  private func oldestLeaf(unused: Bool) -> (parent: Node, leaf: Node)? {
    var best: (parent: Node, leaf: Node)?
    var open = Array(roots.values)
    while let node = open.popLast() {
      for child in node.children {
        if !child.children.isEmpty {
          open.append(child)
        } else if child.lastUse < best?.leaf.lastUse ?? .max, !unused || isKnownUniquelyReferenced(&child.block) {
          best = (node, child)
        }
      }
    }
    return best
  }
}
