// SPDX-License-Identifier: Apache-2.0
/// Finds the longest of a set of byte strings that starts at a position: a trie with child and sibling links.
struct LiteralMatcher: Sendable {
  private struct Node: Sendable {
    var byte: UInt8
    var id: Int32 = -1
    var firstChild: Int32 = -1
    var nextSibling: Int32 = -1
  }

  private var nodes: [Node] = [Node(byte: 0)]
  /// Which bytes start a literal: most positions of a text need no more than this.
  private var starts = [Bool](repeating: false, count: 256)

  var isEmpty: Bool { nodes.count == 1 }

  /// Of two equal literals the first counts. Empty ones are ignored.
  mutating func insert(_ literal: some Sequence<UInt8>, id: Int32) {
    var node = 0
    for byte in literal {
      if node == 0 { starts[Int(byte)] = true }
      if let next = child(of: node, byte: byte) {
        node = next
      } else {
        nodes.append(Node(byte: byte, nextSibling: nodes[node].firstChild))
        nodes[node].firstChild = Int32(nodes.count - 1)
        node = nodes.count - 1
      }
    }
    if node != 0, nodes[node].id < 0 { nodes[node].id = id }
  }

  /// O(length of the longest literal x number of different next bytes).
  func longestMatch(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> (id: Int32, length: Int)? {
    guard start < text.count, starts[Int(text[start])] else { return nil }
    var best: (id: Int32, length: Int)?
    var node = 0
    var position = start
    while position < text.count, let next = child(of: node, byte: text[position]) {
      node = next
      position += 1
      if nodes[node].id >= 0 { best = (nodes[node].id, position - start) }
    }
    return best
  }

  private func child(of node: Int, byte: UInt8) -> Int? {
    var candidate = nodes[node].firstChild
    while candidate >= 0 {
      if nodes[Int(candidate)].byte == byte { return Int(candidate) }
      candidate = nodes[Int(candidate)].nextSibling
    }
    return nil
  }
}
