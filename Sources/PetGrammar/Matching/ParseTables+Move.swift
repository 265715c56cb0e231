// SPDX-License-Identifier: Apache-2.0
extension ParseTables {
  /// A state with all nodes of its stacks, free of any table's numbers.
  struct Portable {
    /// Frames refer to earlier nodes of this list.
    var nodes: [[UInt64]] = []
    var configurations: [UInt64] = []
    var reach: Int32 = 0
    var load: Int32 = 0
  }

  /// O(size of the stacks).
  func export(_ state: Int32) -> Portable {
    // Nodes are numbered after those below them: one pass downwards finds all, one upwards lists them.
    var needed: Set<Int32> = []
    var pending: [Int32] = []
    func need(_ node: Int32) { if needed.insert(node).inserted { pending.append(node) } }
    for index in configurations(state) { need(Configuration(word: states[index]).node) }
    while let node = pending.popLast() {
      for word in nodes.sequence(node) where word != Frame.bottomWord { need(Frame(word: word).node) }
    }
    var numbers: [Int32: Int32] = [:]
    var portable = Portable(reach: notes[Int(state)].reach, load: notes[Int(state)].load)
    for node in needed.sorted() {
      portable.nodes.append(
        nodes.sequence(node).map { word in
          let frame = Frame(word: word)
          guard !frame.isBottom else { return word }
          return Frame(frame.target, isRecursive: frame.isRecursive, below: numbers[frame.node] ?? 0).word
        })
      numbers[node] = Int32(portable.nodes.count - 1)
    }
    for word in states.sequence(state) {
      guard word != Configuration.completeWord else {
        portable.configurations.append(word)
        continue
      }
      let configuration = Configuration(word: word)
      portable.configurations.append(
        Configuration(configuration.position, numbers[configuration.node] ?? 0).word)
    }
    return portable
  }

  /// The number here of a state of other tables.
  mutating func adopt(_ portable: Portable) -> Int32 {
    var numbers: [Int32] = []
    for frames in portable.nodes {
      let own = frames.map { word in
        let frame = Frame(word: word)
        guard !frame.isBottom else { return word }
        return Frame(frame.target, isRecursive: frame.isRecursive, below: numbers[Int(frame.node)]).word
      }
      numbers.append(node(of: own.sorted()))
    }
    let words = portable.configurations.map { word in
      guard word != Configuration.completeWord else { return word }
      let configuration = Configuration(word: word)
      return Configuration(configuration.position, numbers[Int(configuration.node)]).word
    }
    return state(of: words.sorted(), reach: portable.reach, load: portable.load)
  }
}
