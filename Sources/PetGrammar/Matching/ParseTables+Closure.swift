// SPDX-License-Identifier: Apache-2.0
extension ParseTables {
  /// What the making of one state needs; kept from one to the next so that nothing is allocated.
  struct Scratch {
    struct Waiting {
      /// A frame; or a node whose frames the callee takes over.
      var word: UInt64
      var isLast: Bool
      /// The next caller of the same rule; -1 where there is none.
      var next: Int32
    }

    /// Configurations that bytes or returns led to, and how many of them are done.
    var arrived: [UInt64] = []
    var done = 0
    var seen: Set<UInt64> = []
    /// Configurations with edges over bytes: the state to be.
    var found: [UInt64] = []
    var isComplete = false
    var reach: Int32 = 0
    /// By rank of the callee: the first in `waiting`.
    var callers: [Int32]
    var waiting: [Waiting] = []
    /// One bit per rank with callers.
    var ranks: [UInt64]

    init(rules: Int) {
      callers = [Int32](repeating: -1, count: rules)
      ranks = [UInt64](repeating: 0, count: (rules + 63) / 64)
    }

    mutating func reset() {
      arrived.removeAll(keepingCapacity: true)
      done = 0
      if !seen.isEmpty { seen.removeAll(keepingCapacity: true) }
      found.removeAll(keepingCapacity: true)
      isComplete = false
      reach = 0
      if !waiting.isEmpty {
        waiting.removeAll(keepingCapacity: true)
        for index in callers.indices { callers[index] = -1 }
        for index in ranks.indices { ranks[index] = 0 }
      }
    }
  }

  /// Notes that a byte, or a return, leads to a position, unless the bound of depth leaves no way on from there.
  mutating func arrive(_ position: Int32, _ node: Int32) {
    guard fits(depths[Int(node)], automaton.height(position)) else { return }
    let word = Configuration(position, node).word
    // Nearly all states have a few configurations; a search through those is faster than a set.
    if scratch.arrived.count < 16 {
      if scratch.arrived.contains(word) { return }
    } else {
      if scratch.seen.isEmpty { scratch.seen = Set(scratch.arrived) }
      guard scratch.seen.insert(word).inserted else { return }
    }
    scratch.arrived.append(word)
  }

  private mutating func fits(_ depth: Int32, _ height: Int32) -> Bool {
    guard height < Automaton.unreachable else { return false }
    scratch.reach = max(scratch.reach, depth + height)
    return depth + height <= Int32(automaton.limits.depth)
  }

  /// The state that all arrivals make up: rules that end return, rules that are called begin.
  mutating func close() -> Int32 {
    let limit = automaton.limits.stacks
    // One caller after another may wait, as many as there are rules, for a single stack.
    let mostWaiting = 4 * limit + automaton.rules.count
    while scratch.done < scratch.arrived.count {
      let arrival = Configuration(word: scratch.arrived[scratch.done])
      scratch.done += 1
      expand(arrival.position, arrival.node)
      if automaton.accepts(arrival.position) { finish(arrival.node) }
      guard scratch.arrived.count <= 4 * limit else { return Self.overflow }
    }
    // A rule's callers all come before it: its node is whole when its turn comes.
    for index in scratch.ranks.indices {
      while scratch.ranks[index] != 0 {
        let rank = index * 64 + scratch.ranks[index].trailingZeroBitCount
        scratch.ranks[index] &= scratch.ranks[index] - 1
        guard let node = enterNode(rank) else { return Self.overflow }
        expand(automaton.rules[Int(automaton.rulesByRank[rank])].start, node)
        guard scratch.waiting.count <= mostWaiting else { return Self.overflow }
      }
    }
    scratch.found.sort()
    var words: [UInt64] = []
    words.reserveCapacity(scratch.found.count + 1)
    for word in scratch.found where word != words.last { words.append(word) }
    guard words.count <= limit else { return Self.overflow }
    if scratch.isComplete { words.append(Configuration.completeWord) }
    let load = max(scratch.found.count, scratch.arrived.count / 4 + 1, scratch.waiting.count * limit / mostWaiting + 1)
    return state(of: words, reach: scratch.reach, load: Int32(load))
  }

  /// The rule of a configuration on `node` is at its end: its callers go on.
  private mutating func finish(_ node: Int32) {
    for index in nodes.range(of: node) {
      let frame = Frame(word: nodes[index])
      if frame.isBottom { scratch.isComplete = true } else { arrive(frame.target, frame.node) }
    }
  }

  /// Notes the bytes that a position waits for, and the rules it calls.
  private mutating func expand(_ position: Int32, _ node: Int32) {
    let state = Int(position)
    guard state < automaton.states else { return expandCounter(position, node) }
    if automaton.edgeStarts[state] < automaton.edgeStarts[state + 1] {
      scratch.found.append(Configuration(position, node).word)
    }
    for index in automaton.callStarts[state]..<automaton.callStarts[state + 1] {
      call(automaton.calls[Int(index)], node)
    }
  }

  private mutating func expandCounter(_ position: Int32, _ node: Int32) {
    let counter = automaton.counters[automaton.counter(of: position)]
    let index = position - counter.base
    guard counter.mayRepeat(index) else { return }
    let next = counter.next(index)
    let call = Automaton.Call(
      rule: counter.body, target: counter.base + next, isRecursive: counter.isRecursive,
      isLast: !counter.mayRepeat(next))
    self.call(call, node)
  }

  private mutating func call(_ call: Automaton.Call, _ node: Int32) {
    let isCounted = call.isRecursive && !call.isLast
    let depth = depths[Int(node)]
    guard fits(depth, automaton.height(call.target)),
      fits(depth + (isCounted ? 1 : 0), automaton.height(automaton.rules[Int(call.rule)].start))
    else { return }
    let rank = Int(automaton.ranks[Int(call.rule)])
    let word =
      call.isLast ? UInt64(node) : Frame(call.target, isRecursive: isCounted, below: node).word
    scratch.waiting.append(.init(word: word, isLast: call.isLast, next: scratch.callers[rank]))
    scratch.callers[rank] = Int32(scratch.waiting.count - 1)
    scratch.ranks[rank / 64] |= 1 << UInt64(rank % 64)
  }

  /// The stack node of a rule: all the callers that wait for it. Nil where they are too many.
  private mutating func enterNode(_ rank: Int) -> Int32? {
    let first = scratch.waiting[Int(scratch.callers[rank])]
    if first.next < 0 { return first.isLast ? Int32(truncatingIfNeeded: first.word) : node(of: [first.word]) }
    var frames: [UInt64] = []
    var index = scratch.callers[rank]
    while index >= 0 {
      let caller = scratch.waiting[Int(index)]
      if caller.isLast {
        for word in nodes.range(of: Int32(truncatingIfNeeded: caller.word)) { frames.append(nodes[word]) }
      } else {
        frames.append(caller.word)
      }
      guard frames.count <= 4 * automaton.limits.stacks else { return nil }
      index = caller.next
    }
    frames.sort()
    var distinct: [UInt64] = []
    for word in frames where word != distinct.last { distinct.append(word) }
    return node(of: distinct)
  }
}
