#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a sampler chooses from: tokens with their logits. Steps of the chain narrow and reorder it.
public struct Candidates: Sendable {
  public struct Entry: Sendable, Equatable {
    public var token: Int32
    public var logit: Float
  }

  public var entries: [Entry]
  /// Whether `entries` runs from the likeliest to the least likely.
  public private(set) var isSorted = false

  /// All of a vocabulary. Entries whose logit is not a number, or is minus infinity, are left out: they cannot be drawn.
  public init(logits: UnsafeBufferPointer<Float>) {
    entries = []
    entries.reserveCapacity(logits.count)
    for (index, logit) in logits.enumerated() where logit > -.infinity {
      entries.append(Entry(token: Int32(truncatingIfNeeded: index), logit: logit))
    }
  }

  /// The `count` likeliest of a vocabulary, in order: the same as all of it and `keepBest`, without a list of all.
  /// O(n + count log count) where logits come in no particular order.
  init(likeliest count: Int, of logits: UnsafeBufferPointer<Float>) {
    entries = []
    entries.reserveCapacity(count)
    var index = 0
    while index < logits.count, entries.count < count {
      if logits[index] > -.infinity {
        entries.append(Entry(token: Int32(truncatingIfNeeded: index), logit: logits[index]))
      }
      index += 1
    }
    // Later tokens must be likelier than the least likely so far: of equals the lowest id precedes.
    Self.makeHeap(&entries)
    while index < logits.count {
      if logits[index] > entries[0].logit {
        entries[0] = Entry(token: Int32(truncatingIfNeeded: index), logit: logits[index])
        Self.sink(&entries, 0)
      }
      index += 1
    }
    sort()
  }

  /// Where `token` stands, while the entries are in the order of their ids. O(log count).
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
  public var best: Entry? {
    guard var best = entries.first else { return nil }
    for entry in entries.dropFirst() where Self.precedes(entry, best) { best = entry }
    return best
  }

  public mutating func sort() {
    guard !isSorted else { return }
    entries.sort(by: Self.precedes)
    isSorted = true
  }

  /// Keeps the `count` likeliest, in order. O(n log count), so a short list of a large vocabulary costs little.
  public mutating func keepBest(_ count: Int) {
    guard count < entries.count else { return }
    guard !isSorted else {
      entries.removeLast(entries.count - count)
      return
    }
    var heap = Array(entries[..<count])
    Self.makeHeap(&heap)
    for entry in entries[count...] where Self.precedes(entry, heap[0]) {
      heap[0] = entry
      Self.sink(&heap, 0)
    }
    entries = heap
    sort()
  }

  /// Keeps the first `count` of a sorted list.
  mutating func keepFirst(_ count: Int) { entries.removeLast(max(0, entries.count - max(1, count))) }

  /// Probabilities of the entries, in their order; they sum to 1.
  public func probabilities() -> [Float] {
    let peak = entries.reduce(-Float.infinity) { max($0, $1.logit) }
    let weights = entries.map { exp($0.logit - peak) }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }

  private static func precedes(_ a: Entry, _ b: Entry) -> Bool {
    a.logit > b.logit || (a.logit == b.logit && a.token < b.token)
  }

  /// A heap whose root is the least likely entry.
  private static func makeHeap(_ entries: inout [Entry]) {
    for root in (0..<entries.count / 2).reversed() { sink(&entries, root) }
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
