// SPDX-License-Identifier: Apache-2.0
/// The parse states that were met so far, and how bytes lead from one to another: the lazily determinized pushdown
/// automaton of one grammar.
///
/// A parse state is a set of (position, stack) pairs, as in XGrammar (Dong et al. 2024, https://arxiv.org/abs/2411.15100,
/// section 3). Stacks share their lower parts, and all callers that wait for one rule since one byte share a node, as in
/// a graph-structured stack (Tomita 1987; Scott and Johnstone, "GLL parsing", 2010): an ambiguous grammar costs
/// polynomial time where lists of stacks would cost exponential time. Nodes and states with equal content get one number,
/// so a loop in the output comes back to the states it left, with their transitions and masks.
struct ParseTables {
  let automaton: Automaton
  /// Words of `Frame`s.
  var nodes = InternTable()
  /// How many recursive frames are on the shallowest stack of each node.
  var depths: [Int32] = []
  /// Words of `Configuration`s, ascending.
  var states = InternTable()
  var notes: [Note] = []
  /// Next states by class of byte; -1 is not known yet.
  var rows: [Int32] = []
  var scratch: Scratch
  var masks: MaskStore

  struct Note {
    /// The index in `rows` of the state's first; -1 before it has any.
    var row: Int = -1
    var isComplete = false
    /// How much of the limit of stacks it took to make the state.
    var load: Int32 = 0
    /// The depth that the state needs to be ended, or that was asked for when it was made.
    var reach: Int32 = 0
  }

  /// No text leads here.
  static let dead: Int32 = 0
  /// Like `dead`, but only because more stacks would be needed than the limit.
  static let overflow: Int32 = 1
  /// The stack with nothing on it.
  static let bottom: Int32 = 0

  init(_ automaton: Automaton, maskBytes: Int) {
    self.automaton = automaton
    scratch = Scratch(rules: automaton.rules.count)
    masks = MaskStore(limit: maskBytes)
    _ = node(of: [Frame.bottomWord])
    _ = states.intern([])
    _ = states.intern([Configuration.completeWord, Configuration.completeWord])
    notes = [Note(), Note()]
  }

  var bytes: Int {
    nodes.bytes + states.bytes + depths.count * 4 + notes.count * MemoryLayout<Note>.stride + rows.count * 4
  }

  static func isDead(_ state: Int32) -> Bool { state <= overflow }

  /// Which words of `states` are the configurations of a state, without the mark of completeness.
  func configurations(_ state: Int32) -> Range<Int> {
    let range = states.range(of: state)
    return notes[Int(state)].isComplete ? range.dropLast() : range
  }

  /// The number of a node. `frames` are ascending.
  mutating func node(of frames: [UInt64]) -> Int32 {
    let (id, isNew) = nodes.intern(frames)
    if isNew {
      var depth = Int32.max
      for word in frames {
        let frame = Frame(word: word)
        depth = min(depth, frame.isBottom ? 0 : depths[Int(frame.node)] + (frame.isRecursive ? 1 : 0))
      }
      depths.append(depth)
    }
    return id
  }

  /// The number of a state. `words` are ascending and end with `Configuration.completeWord` where it is complete.
  mutating func state(of words: [UInt64], reach: Int32, load: Int32) -> Int32 {
    guard !words.isEmpty else { return Self.dead }
    let (id, isNew) = states.intern(words)
    if isNew {
      notes.append(Note(isComplete: words.last == Configuration.completeWord, load: load, reach: reach))
    } else {
      notes[Int(id)].reach = max(notes[Int(id)].reach, reach)
      notes[Int(id)].load = max(notes[Int(id)].load, load)
    }
    return id
  }

  /// The state before anything was read.
  mutating func startState() -> Int32 {
    let start = automaton.rules[Int(automaton.root)].start
    scratch.reset()
    // The text may be empty where the root's start accepts.
    arrive(start, Self.bottom)
    return close()
  }

  /// The state after one more byte. O(1) where it is known; else O(configurations).
  @inline(__always)
  mutating func step(_ state: Int32, _ byte: UInt8) -> Int32 {
    let index = Int(automaton.classes[Int(byte)])
    let row = notes[Int(state)].row
    if row >= 0 {
      let next = rows[row + index]
      if next >= 0 { return next }
    }
    return fill(state, class: index)
  }

  @inline(never)
  mutating func fill(_ state: Int32, class index: Int) -> Int32 {
    if notes[Int(state)].row < 0 {
      notes[Int(state)].row = rows.count
      rows.append(contentsOf: repeatElement(-1, count: automaton.classStarts.count))
    }
    let byte = automaton.classStarts[index]
    scratch.reset()
    for index in configurations(state) {
      let configuration = Configuration(word: states[index])
      if let target = automaton.target(configuration.position, byte) { arrive(target, configuration.node) }
    }
    let next = close()
    rows[notes[Int(state)].row + index] = next
    return next
  }
}

extension Automaton {
  /// Where a byte leads to in the rule of a state.
  @inline(__always)
  func target(_ state: Int32, _ byte: UInt8) -> Int32? {
    for edge in edges[Int(edgeStarts[Int(state)])..<Int(edgeStarts[Int(state) + 1])] {
      if byte < edge.low { return nil }
      if byte <= edge.high { return edge.target }
    }
    return nil
  }
}
