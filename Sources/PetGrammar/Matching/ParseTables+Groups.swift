// SPDX-License-Identifier: Apache-2.0
extension ParseTables {
  /// Some configurations of a state, with the upper part of their stacks, and the node below that they share.
  struct Group {
    /// The configurations as a state of their own, whose stack ends where `base` begins.
    var state: Int32
    var base: Int32
  }

  /// The groups of a state. Positions within one rule of the grammar are in one group wherever the rule was called, so
  /// that the inside of all strings is one group however deep they are.
  mutating func groups(of state: Int32, longestToken: Int) -> [Group] {
    var parts: [(base: Int32, words: [UInt64], reach: Int32)] = []
    for index in configurations(state) {
      let configuration = Configuration(word: states[index])
      let (base, local) = split(configuration, longestToken: longestToken)
      let word = Configuration(configuration.position, local).word
      let reach = depths[Int(local)] + automaton.height(configuration.position)
      if let part = parts.firstIndex(where: { $0.base == base }) {
        parts[part].words.append(word)
        parts[part].reach = max(parts[part].reach, reach)
      } else {
        parts.append((base, [word], reach))
      }
    }
    return parts.map { part in
      var words: [UInt64] = []
      for word in part.words.sorted() where word != words.last { words.append(word) }
      return Group(state: self.state(of: words, reach: part.reach, load: Int32(words.count)), base: part.base)
    }
  }

  /// Cuts the stack of a configuration below the grammar's rule that it is in, counters and their bodies included.
  private mutating func split(_ configuration: Configuration, longestToken: Int) -> (base: Int32, local: Int32) {
    var base = configuration.node
    var rule = automaton.rule(of: configuration.position)
    var frames: [Frame] = []
    while !automaton.rules[Int(rule)].isUnit, frames.count < 8 {
      let range = nodes.range(of: base)
      let frame = Frame(word: nodes[range.lowerBound])
      guard range.count == 1, !frame.isBottom else { break }
      frames.append(frame)
      base = frame.node
      rule = automaton.rule(of: frame.target)
    }
    var local = Self.bottom
    for frame in frames.reversed() {
      let target = automaton.alike(frame.target, longestToken: longestToken)
      local = node(of: [Frame(target, isRecursive: frame.isRecursive, below: local).word])
    }
    return (base, local)
  }
}

extension Automaton {
  /// A position that no token can tell from this one: counters that are further from both of their bounds than a token
  /// is long are alike. So a string of up to 1000 characters has as few masks as one of up to 100.
  func alike(_ position: Int32, longestToken: Int) -> Int32 {
    guard Int(position) >= states else { return position }
    let counter = counters[counter(of: position)]
    let index = Int(position - counter.base)
    if Int(counter.least) - index >= longestToken { return counter.base }
    guard let most = counter.most, index >= counter.least, Int(most) - index >= longestToken else { return position }
    return counter.base + counter.least
  }
}
