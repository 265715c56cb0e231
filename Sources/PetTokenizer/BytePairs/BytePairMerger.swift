// SPDX-License-Identifier: Apache-2.0
/// Joins the symbols of one word by the merge rules, lowest rank first and leftmost among equals
/// (Sennrich, Haddow and Birch 2016, https://arxiv.org/abs/1508.07909). Buffers are reused from word to word.
struct BytePairMerger {
  private let rules: MergeTable.View
  /// Longest word for which scanning for the lowest rank beats keeping a heap.
  private static let scanLimit = 24

  private var ids: [Int32] = []
  private var matches: [MergeTable.Match] = []
  private var next: [Int32] = []
  private var previous: [Int32] = []
  private var heap: [UInt64] = []

  init(rules: MergeTable.View) { self.rules = rules }

  /// Appends the merged symbols.
  ///
  /// - Complexity: O(n log n) in the number of symbols.
  mutating func merge(_ symbols: UnsafeBufferPointer<Int32>, into output: inout [Int32]) {
    switch symbols.count {
    case 0: return
    case 1: output.append(symbols[0])
    case ...Self.scanLimit: mergeByScan(symbols, into: &output)
    default: mergeByHeap(symbols, into: &output)
    }
  }

  private mutating func mergeByScan(_ symbols: UnsafeBufferPointer<Int32>, into output: inout [Int32]) {
    ids.removeAll(keepingCapacity: true)
    ids.append(contentsOf: symbols)
    matches.removeAll(keepingCapacity: true)
    for index in 0..<(symbols.count - 1) { matches.append(rules.match(symbols[index], symbols[index + 1])) }
    while true {
      var lowest = Int32.max
      var at = -1
      for index in matches.indices where matches[index].rank >= 0 && matches[index].rank < lowest {
        lowest = matches[index].rank
        at = index
      }
      guard at >= 0 else { break }
      ids[at] = matches[at].merged
      ids.remove(at: at + 1)
      matches.remove(at: at)
      if at > 0 { matches[at - 1] = rules.match(ids[at - 1], ids[at]) }
      if at < matches.count { matches[at] = rules.match(ids[at], ids[at + 1]) }
    }
    output.append(contentsOf: ids)
  }

  private mutating func mergeByHeap(_ symbols: UnsafeBufferPointer<Int32>, into output: inout [Int32]) {
    let count = symbols.count
    ids.removeAll(keepingCapacity: true)
    ids.append(contentsOf: symbols)
    next.removeAll(keepingCapacity: true)
    previous.removeAll(keepingCapacity: true)
    heap.removeAll(keepingCapacity: true)
    for index in 0..<Int32(count) {
      next.append(index + 1 < count ? index + 1 : -1)
      previous.append(index - 1)
    }
    for index in 0..<(count - 1) { push(at: index) }
    while let (rank, at) = pop() {
      // An entry is stale when its symbol was merged away or either side has changed since.
      guard ids[at] >= 0, next[at] >= 0 else { continue }
      let right = Int(next[at])
      let match = rules.match(ids[at], ids[right])
      guard match.rank == rank else { continue }
      ids[at] = match.merged
      ids[right] = -1
      next[at] = next[right]
      if next[at] >= 0 {
        previous[Int(next[at])] = Int32(at)
        push(at: at)
      }
      if previous[at] >= 0 { push(at: Int(previous[at])) }
    }
    for id in ids where id >= 0 { output.append(id) }
  }

  // MARK: A binary heap of rank << 32 | position

  private mutating func push(at position: Int) {
    let rank = rules.match(ids[position], ids[Int(next[position])]).rank
    guard rank >= 0 else { return }
    heap.append(UInt64(UInt32(rank)) << 32 | UInt64(UInt32(position)))
    var child = heap.count - 1
    while child > 0, heap[(child - 1) / 2] > heap[child] {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func pop() -> (rank: Int32, position: Int)? {
    guard let top = heap.first, let last = heap.popLast() else { return nil }
    if !heap.isEmpty {
      heap[0] = last
      var parent = 0
      while parent * 2 + 1 < heap.count {
        var child = parent * 2 + 1
        if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
        guard heap[child] < heap[parent] else { break }
        heap.swapAt(parent, child)
        parent = child
      }
    }
    return (Int32(top >> 32), Int(top & 0xFFFF_FFFF))
  }
}
