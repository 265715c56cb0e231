// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import SeededGenerator
import Testing

@Suite("Memory budget")
struct MemoryBudgetTests {
  private func idle(_ name: String, _ bytes: UInt64, _ lastUse: UInt64) -> MemoryBudget.IdleModel {
    MemoryBudget.IdleModel(name: name, bytes: bytes, lastUse: lastUse)
  }

  @Test("by hand: what fits, what goes first, what is refused with which figures")
  func examples() {
    let models = [idle("new", 100, 9), idle("old", 50, 1), idle("middle", 60, 5)]
    func decide(_ needed: UInt64, budget: UInt64 = 300, room: UInt64? = nil) -> MemoryBudget.Decision {
      MemoryBudget(budget: budget, reserved: 210, room: room, idle: models).decide(needed: needed)
    }
    #expect(decide(90) == .load)
    #expect(decide(91) == .evict(["old"]))
    #expect(decide(140) == .evict(["old"]))
    #expect(decide(141) == .evict(["old", "middle"]))
    #expect(decide(300) == .evict(["old", "middle", "new"]))
    #expect(decide(301) == .refuse(available: 300))
    // Less is left than the budget allows.
    #expect(decide(90, room: 80) == .evict(["old"]))
    #expect(decide(291, room: 80) == .refuse(available: 290))
    #expect(decide(0, room: 0) == .load)
  }

  @Test("random ones against trying every number of victims", arguments: 0..<50)
  func random(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      func bytes() -> UInt64 {
        [0, .max, UInt64.random(in: 0...1000, using: &random)].randomElement(using: &random) ?? 0
      }
      let models = (0..<Int.random(in: 0...5, using: &random)).map {
        idle(
          "\($0)", UInt64.random(in: 0...400, using: &random),
          UInt64.random(in: 0...1000, using: &random) << 8 + UInt64($0))
      }
      let others = UInt64.random(in: 0...300, using: &random)
      let reserved = models.reduce(others) { $0 + $1.bytes }
      let memory = MemoryBudget(
        budget: bytes(), reserved: reserved, room: Bool.random(using: &random) ? bytes() : nil, idle: models)
      let needed = bytes()
      // In numbers that cannot overflow.
      func left(_ freed: UInt64) -> Int128 {
        let byBudget = max(0, Int128(memory.budget) - (Int128(reserved) - Int128(freed)))
        return min(byBudget, memory.room.map { Int128($0) + Int128(freed) } ?? .max)
      }
      let order = models.sorted { $0.lastUse < $1.lastUse }
      let enough = (0...order.count).first { Int128(needed) <= left(order.prefix($0).reduce(0) { $0 + $1.bytes }) }
      switch memory.decide(needed: needed) {
      case .load: #expect(enough == 0)
      case .evict(let names): #expect(enough == names.count && names == order.prefix(names.count).map(\.name))
      case .refuse(let available):
        #expect(enough == nil && available < needed)
        #expect(Int128(available) == left(models.reduce(0) { $0 + $1.bytes }))
      }
    }
  }

  @Test("a newer version comes beside the old one, after it, or not at all")
  func swap() {
    func decide(old: UInt64, new: UInt64, room: UInt64? = nil, others: [MemoryBudget.IdleModel] = []) -> SwapPlan {
      let reserved = others.reduce(old) { $0 + $1.bytes }
      return .decide(
        old: old, new: new, memory: MemoryBudget(budget: 300, reserved: reserved, room: room, idle: others))
    }
    #expect(decide(old: 100, new: 200) == .beside)
    #expect(decide(old: 100, new: 201) == .after)
    #expect(decide(old: 100, new: 300) == .after)
    #expect(decide(old: 100, new: 301) == .refuse(available: 300))
    #expect(decide(old: 100, new: 100, room: 99) == .after)
    #expect(decide(old: 100, new: 200, room: 99) == .refuse(available: 199))
    // Idle others make room rather than that uses must wait.
    #expect(decide(old: 100, new: 150, others: [idle("other", 100, 1)]) == .beside)
    #expect(decide(old: 100, new: 250, others: [idle("other", 100, 1)]) == .after)
  }

  @Test("pressure: caches first, the least recently used first, nothing that is in use")
  func pressure() {
    let models = [
      ModelFacts(name: "latest", state: .loaded, lastUse: 9),
      ModelFacts(name: "oldest", state: .loaded, lastUse: 1),
      ModelFacts(name: "used", state: .loaded, users: 1, lastUse: 2),
      ModelFacts(name: "tiered", state: .loaded, users: 1, lastUse: 3, canDegrade: true),
      ModelFacts(name: "absent", state: .notLoaded, lastUse: 4, canDegrade: true),
      ModelFacts(name: "coming", state: .loading(progress: 0.5), lastUse: 5),
      ModelFacts(name: "going", state: .unloading, lastUse: 6),
    ]
    #expect(PressurePolicy.decide(.normal, models: models) == [])
    #expect(PressurePolicy.decide(.warning, models: models) == [.clearCaches, .unload("oldest")])
    #expect(
      PressurePolicy.decide(.critical, models: models) == [
        .clearCaches, .unload("oldest"), .degrade("tiered"), .unload("latest"),
      ])
    #expect(PressurePolicy.decide(.critical, models: []) == [.clearCaches])
  }
}
