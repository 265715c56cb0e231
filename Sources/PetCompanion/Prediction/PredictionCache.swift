// SPDX-License-Identifier: Apache-2.0
/// The least recently used entry goes first when the bytes run out; none is served beyond its time to live.
///
/// A value without a clock: `now` is in seconds since 1970. A clock that was set back makes no entry older, and one that an entry
/// is ahead of makes it new.
package struct PredictionCache: Sendable {
  package struct Entry: Sendable, Equatable {
    package let key: PredictionKey
    package let payload: [UInt8]
    /// When it was computed, in seconds since 1970.
    package internal(set) var made: Int64
  }

  private struct Node: Sendable {
    var entry: Entry
    var newer: Int
    var older: Int
  }

  /// Memory of an entry beside its payload: the key twice, links, the array's head, and the index, which doubles as it grows.
  package static let overhead = 208
  private static let none = -1

  package let timeToLive: Int64
  package private(set) var statistics = CacheStatistics()
  private var nodes: [Node] = []
  private var free: [Int] = []
  private var index: [PredictionKey: Int] = [:]
  private var newest = none
  private var oldest = none

  /// - Parameters:
  ///   - capacity: in bytes of memory, at least 0.
  ///   - timeToLive: in seconds, at least 1.
  package init(capacity: Int, timeToLive: Int64) {
    self.timeToLive = max(1, timeToLive)
    statistics.capacity = max(0, capacity)
  }

  /// Bytes; fewer than before makes room at once, as after a memory warning.
  package var capacity: Int {
    get { statistics.capacity }
    set {
      statistics.capacity = max(0, newValue)
      makeRoom()
    }
  }

  /// What was put there, unless it is too old; it is then the most recently used. O(1).
  package mutating func payload(for key: PredictionKey, now: Int64) -> [UInt8]? {
    guard let place = index[key] else {
      statistics.misses += 1
      return nil
    }
    guard !isExpired(nodes[place].entry, now: now) else {
      remove(place)
      statistics.expirations += 1
      statistics.misses += 1
      return nil
    }
    nodes[place].entry.made = min(nodes[place].entry.made, now)
    unlink(place)
    link(place)
    statistics.hits += 1
    return nodes[place].entry.payload
  }

  /// Keeps `payload`, in the place of what was there. O(1), and as many evictions as its bytes need.
  /// - Parameter made: when it was computed, where that was earlier; later than `now` counts as now.
  /// - Returns: whether it is kept: not one that is too old, longer than 64 KiB, or alone more than a quarter of the capacity.
  @discardableResult
  package mutating func put(_ payload: [UInt8], for key: PredictionKey, made: Int64? = nil, now: Int64) -> Bool {
    let entry = Entry(key: key, payload: payload, made: min(made ?? now, now))
    if let place = index[key] { remove(place) }
    guard !isExpired(entry, now: now), payload.count <= PredictionRecord.longestPayload,
      cost(entry) <= capacity / 4
    else { return false }
    let place = free.popLast() ?? nodes.count
    let node = Node(entry: entry, newer: Self.none, older: Self.none)
    if place == nodes.count { nodes.append(node) } else { nodes[place] = node }
    index[key] = place
    link(place)
    statistics.entries += 1
    statistics.bytes += cost(entry)
    makeRoom()
    return true
  }

  /// Drops one entry, such as one that cannot be read.
  package mutating func remove(_ key: PredictionKey) {
    if let place = index[key] { remove(place) }
  }

  /// Drops all of them; the counters go on. O(entries).
  package mutating func removeAll() {
    nodes = []
    free = []
    index = [:]
    (newest, oldest) = (Self.none, Self.none)
    (statistics.entries, statistics.bytes) = (0, 0)
  }

  /// All entries that are not too old, the least recently used first. O(entries).
  package func entries(now: Int64) -> [Entry] {
    var found: [Entry] = []
    found.reserveCapacity(index.count)
    var place = oldest
    while place != Self.none {
      if !isExpired(nodes[place].entry, now: now) { found.append(nodes[place].entry) }
      place = nodes[place].newer
    }
    return found
  }

  /// Begins to count anew, as after filling it from a file.
  package mutating func forgetCounts() {
    (statistics.hits, statistics.misses, statistics.evictions, statistics.expirations) = (0, 0, 0, 0)
  }

  package mutating func countUnwritten() { statistics.unwritten += 1 }

  /// What was found cannot be used: no hit after all.
  package mutating func refuse(_ key: PredictionKey) {
    remove(key)
    statistics.hits -= 1
    statistics.misses += 1
  }

  private func isExpired(_ entry: Entry, now: Int64) -> Bool {
    let (age, overflow) = now.subtractingReportingOverflow(entry.made)
    return overflow ? now > entry.made : age >= timeToLive
  }

  private func cost(_ entry: Entry) -> Int { Self.overhead + entry.payload.count }

  private mutating func makeRoom() {
    while statistics.bytes > capacity, oldest != Self.none {
      remove(oldest)
      statistics.evictions += 1
    }
  }

  private mutating func remove(_ place: Int) {
    let entry = nodes[place].entry
    unlink(place)
    index[entry.key] = nil
    nodes[place].entry = Entry(key: entry.key, payload: [], made: 0)
    free.append(place)
    statistics.entries -= 1
    statistics.bytes -= cost(entry)
  }

  private mutating func link(_ place: Int) {
    nodes[place].newer = Self.none
    nodes[place].older = newest
    if newest != Self.none { nodes[newest].newer = place } else { oldest = place }
    newest = place
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (nodes[place].newer, nodes[place].older)
    if newer != Self.none { nodes[newer].older = older } else { newest = older }
    if older != Self.none { nodes[older].newer = newer } else { oldest = newer }
  }
}
