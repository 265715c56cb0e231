// SPDX-License-Identifier: Apache-2.0
import PetMemory

/// What is remembered after some messages, without a store.
enum Known {
  static func facts(_ messages: [String]) throws -> [Fact] {
    var facts: [Fact] = []
    for (index, message) in messages.enumerated() {
      for proposal in FactExtractor().proposals(from: try Fixture.turn(message, index + 1), after: facts.last) {
        let id = Int64(facts.count + 1)
        guard case .add(let former) = FactLedger.decide(proposal, among: facts, at: Fixture.now) else { continue }
        for index in facts.indices where former.contains(facts[index].id) { facts[index].supersededBy = id }
        let source = FactSource(conversation: "home", turn: index + 1, origin: .rule)
        facts.append(Fact(id: id, proposal, from: source, at: Fixture.now))
      }
    }
    return facts
  }
}
