// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// Turns expressions into networks. What a network cannot hold becomes a call of another rule.
struct NetworkBuilder {
  var network: Network
  /// Whether characters stay code points (the inside of a pattern) or become UTF-8.
  let isOfBytes: Bool
  /// What the builder asks of its surroundings.
  let context: any NetworkContext

  /// The network of one rule's body.
  static func build(
    _ body: Expression, isOfBytes: Bool = true, context: any NetworkContext, limit: Int
  ) throws(GrammarError) -> Network {
    var builder = NetworkBuilder(network: Network(limit: limit), isOfBytes: isOfBytes, context: context)
    try builder.add(body, from: Network.start, to: Network.end)
    return builder.network
  }

  /// Connects two states by an expression. Nothing may lead into `source` or out of `target` but what is before and
  /// after the expression.
  mutating func add(_ expression: Expression, from source: Int32, to target: Int32) throws(GrammarError) {
    switch expression {
    case .literal(let bytes): try add(bytes, from: source, to: target)
    case .characters(let set): try add(set, from: source, to: target)
    case .sequence(let parts):
      var state = source
      for (index, part) in parts.enumerated() {
        let next = index == parts.count - 1 ? target : try network.state()
        try add(part, from: state, to: next)
        state = next
      }
      if parts.isEmpty { try network.connect(source, .empty, target) }
    case .choice(let parts):
      var literals: [[UInt8]] = []
      for part in parts {
        if case .literal(let bytes) = part { literals.append(bytes) } else { try add(part, from: source, to: target) }
      }
      if !literals.isEmpty { try add(literals: literals, from: source, to: target) }
    case .repetition(let part, let least, let most):
      try addRepetition(part, least, most, from: source, to: target)
    case .rule(let rule):
      if let body = context.inlined(rule) { return try add(body, from: source, to: target) }
      try addCall(try context.called(rule), from: source, to: target)
    case .members(let members, let rest, let separator):
      try addMembers(members, rest, separator, from: source, to: target)
    case .spelled(let automaton): try addSpelled(automaton, from: source, to: target)
    }
  }

  private mutating func add(_ bytes: [UInt8], from source: Int32, to target: Int32) throws(GrammarError) {
    var state = source
    for (index, byte) in bytes.enumerated() {
      let next = index == bytes.count - 1 ? target : try network.state()
      try network.connect(state, .range(UInt32(byte), UInt32(byte)), next)
      state = next
    }
    if bytes.isEmpty { try network.connect(source, .empty, target) }
  }

  private mutating func add(_ set: CodePoints, from source: Int32, to target: Int32) throws(GrammarError) {
    if isOfBytes {
      for ranges in set.utf8 { try network.connect(source, ranges: ranges[...], target) }
    } else {
      for range in set.ranges { try network.connect(source, .range(range.lowerBound, range.upperBound), target) }
    }
  }

  private mutating func addCall(
    _ callee: NetworkCallee, from source: Int32, to target: Int32
  ) throws(GrammarError) {
    try network.connect(source, .call(callee.rule), target)
    if callee.isNullable { try network.connect(source, .empty, target) }
  }

  private mutating func addRepetition(
    _ part: Expression, _ least: Int, _ most: Int?, from source: Int32, to target: Int32
  ) throws(GrammarError) {
    if most == 0 { return try network.connect(source, .empty, target) }
    let copies = max(most ?? least, 1)
    if let callee = try context.counted(part, least: least, most: most, copies: copies) {
      return try addCall(callee, from: source, to: target)
    }
    var state = source
    for _ in 0..<least {
      let next = try network.state()
      try add(part, from: state, to: next)
      state = next
    }
    if let most {
      for _ in least..<most {
        try network.connect(state, .empty, target)
        let next = try network.state()
        try add(part, from: state, to: next)
        state = next
      }
    } else {
      let loop = try network.state()
      try network.connect(state, .empty, loop)
      try add(part, from: loop, to: loop)
      state = loop
    }
    try network.connect(state, .empty, target)
  }

  /// Two rows of states, before the first member that is there and after one: no member's content is built twice.
  private mutating func addMembers(
    _ members: [Expression.Member], _ rest: Expression?, _ separator: Expression, from source: Int32, to target: Int32
  ) throws(GrammarError) {
    var before = source
    var after = try network.state()
    for member in members {
      let content = try network.state()
      let nextBefore = try network.state()
      let nextAfter = try network.state()
      try network.connect(before, .empty, content)
      try add(separator, from: after, to: content)
      try add(member.content, from: content, to: nextAfter)
      if !member.isRequired {
        try network.connect(before, .empty, nextBefore)
        try network.connect(after, .empty, nextAfter)
      }
      (before, after) = (nextBefore, nextAfter)
    }
    if let rest {
      let content = try network.state()
      let last = try network.state()
      try network.connect(before, .empty, content)
      try network.connect(after, .empty, last)
      try add(rest, from: content, to: last)
      try add(separator, from: last, to: content)
      after = last
    }
    try network.connect(before, .empty, target)
    try network.connect(after, .empty, target)
  }

  private mutating func addSpelled(
    _ automaton: CharacterAutomaton, from source: Int32, to target: Int32
  ) throws(GrammarError) {
    var states: [Int32] = []
    for _ in automaton.states { states.append(try network.state()) }
    guard let start = states.first else { return }
    try network.connect(source, .empty, start)
    for (index, state) in automaton.states.enumerated() {
      if state.accepts { try network.connect(states[index], .empty, target) }
      for (points, next) in state.setsByTarget {
        for ranges in JSONSpelling.canonical(points) {
          try network.connect(states[index], ranges: ranges[...], states[next])
        }
      }
    }
  }
}

/// The other rules, as a network's builder needs them.
protocol NetworkContext {
  /// The body of a rule that is better repeated where it is called.
  func inlined(_ rule: Int) -> Expression?
  func called(_ rule: Int) throws(GrammarError) -> NetworkCallee
  /// A rule that counts, for repetitions that are too long to unroll; nil for others.
  func counted(_ part: Expression, least: Int, most: Int?, copies: Int) throws(GrammarError) -> NetworkCallee?
}

struct NetworkCallee {
  var rule: Int32
  /// Whether the rule matches the empty text: then the call may be passed over.
  var isNullable: Bool
}
