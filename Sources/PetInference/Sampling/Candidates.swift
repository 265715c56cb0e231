// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tokens with their logits, from which a sampler draws. Each step of the chain narrows or reorders them.
package struct Candidates: Sendable {
  package struct Entry: Sendable, Equatable {
    package var token: Int32
    package var logit: Float
  }

  package var entries: [Entry]
  /// Whether `entries` runs from the likeliest to the least likely.
  package private(set) var isSorted = false

  /// All tokens of a vocabulary, except those whose logit is NaN or minus infinity, which cannot be drawn.
  package init(logits: UnsafeBufferPointer<Float>) {
    entries = []
    entries.reserveCapacity(logits.count)
    entries += Self.drawable(logits)
  }

  /// The `count` likeliest tokens of a vocabulary, in order: as `keepBest` of all, without a list of all.
  package init(likeliest count: Int, of logits: UnsafeBufferPointer<Float>) {
    entries = Self.likeliest(count, of: Self.drawable(logits))
    isSorted = true
  }

  private static func drawable(_ logits: UnsafeBufferPointer<Float>) -> some Sequence<Entry> {
    logits.enumerated().lazy.filter { $0.element > -.infinity }
      .map { Entry(token: Int32(truncatingIfNeeded: $0.offset), logit: $0.element) }
  }

  /// The index of `token`, while the entries are sorted by id. O(log count).
  func index(of token: Int32) -> Int? {
    var range = entries.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if entries[middle].token == token { return middle }
      range = entries[middle].token < token ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// The likeliest entry; of equals, the one with the lowest id.
  package var best: Entry? {
    guard var best = entries.first else { return nil }
    for entry in entries.dropFirst() where Self.precedes(entry, best) { best = entry }
    return best
  }

  package mutating func sort() {
    guard !isSorted else { return }
    entries.sort(by: Self.precedes)
    isSorted = true
  }

  /// Keeps the `count` likeliest, in order.
  package mutating func keepBest(_ count: Int) {
    guard count < entries.count else { return }
    guard !isSorted else {
      entries.removeLast(entries.count - count)
      return
    }
    entries = Self.likeliest(count, of: entries)
    isSorted = true
  }

  /// The `count` likeliest, in order. O(n log count), so a short list of a large vocabulary costs little.
  private static func likeliest(_ count: Int, of entries: some Sequence<Entry>) -> [Entry] {
    guard count > 0 else { return [] }
    // A heap whose root is the least likely of those kept.
    var heap: [Entry] = []
    heap.reserveCapacity(count)
    for entry in entries {
      if heap.count < count {
        heap.append(entry)
        if heap.count == count { for root in (0..<count / 2).reversed() { sink(&heap, root) } }
      } else if precedes(entry, heap[0]) {
        heap[0] = entry
        sink(&heap, 0)
      }
    }
    return heap.sorted(by: precedes)
  }

  /// Keeps the first `count` of a sorted list.
  mutating func keepFirst(_ count: Int) { entries.removeLast(max(0, entries.count - max(1, count))) }

  /// Probabilities of the entries, in their order; they sum to 1.
  package func probabilities() -> [Float] {
    let peak = entries.reduce(-Float.infinity) { max($0, $1.logit) }
    let weights = entries.map { exp($0.logit - peak) }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }

  private static func precedes(_ a: Entry, _ b: Entry) -> Bool {
    a.logit > b.logit || (a.logit == b.logit && a.token < b.token)
  }

  private static func sink(_ heap: inout [Entry], _ start: Int) {
    var parent = start
    while true {
      let (left, right) = (2 * parent + 1, 2 * parent + 2)
      var least = parent
      if left < heap.count, precedes(heap[least], heap[left]) { least = left }
      if right < heap.count, precedes(heap[least], heap[right]) { least = right }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
