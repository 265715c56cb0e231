// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import SeededGenerator
import Testing

/// The machine against a model of it that knows no transitions: it looks the state up in the history of what was accepted.
@Suite("Load machine")
struct LoadMachineTests {
  private struct History {
    var accepted: [LoadMachine.Event] = []

    var state: LoadState {
      let phases: [LoadState] = accepted.enumerated().compactMap { index, event in
        switch event {
        case .load:
          let reports = accepted[index...].compactMap { if case .progress(let value) = $0 { value } else { nil } }
          return .loading(progress: reports.last ?? 0)
        case .loaded: return .loaded
        case .failed(let reason): return .failed(reason: reason)
        case .cancelled, .unloaded: return .notLoaded
        case .unload: return .unloading
        case .progress, .enter, .enterWithin, .leave: return nil
        }
      }
      return phases.last ?? .notLoaded
    }

    var users: Int {
      accepted.reduce(0) { $0 + ($1 == .enter || $1 == .enterWithin ? 1 : $1 == .leave ? -1 : 0) }
    }

    func allows(_ event: LoadMachine.Event) -> Bool {
      let legal: [String]
      switch event {
      case .load: legal = ["notLoaded", "failed"]
      case .progress(let value):
        guard case .loading(let before) = state else { return false }
        return (before...1).contains(value)
      case .loaded, .failed, .cancelled: legal = ["loading"]
      case .enter, .unload: legal = ["loaded"]
      case .enterWithin: legal = users > 0 ? ["loaded", "unloading"] : ["loaded"]
      case .leave: return users > 0
      case .unloaded: legal = users == 0 ? ["unloading"] : []
      }
      return legal.contains(state.name)
    }
  }

  private static func event(_ random: inout some RandomNumberGenerator) -> LoadMachine.Event {
    // NaN last: it is neither above nor below anything.
    let progress = [0, 0.25, 0.5, 0.5000001, 1, 1.5, -0.1, .infinity, .nan]
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return .load
    case 1, 2: return .progress(progress.randomElement(using: &random) ?? 0)
    case 3, 4: return .loaded
    case 5: return .failed(reason: ["a", "b"].randomElement(using: &random) ?? "")
    case 6: return .cancelled
    case 7, 8: return .enter
    case 9: return .enterWithin
    case 10, 11: return .leave
    case 12: return .unload
    default: return .unloaded
    }
  }

  @Test(
    "random events: accepted where the history allows them, and the state is what the history says", arguments: 0..<200)
  func random(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var machine = LoadMachine()
    var history = History()
    for _ in 0..<120 {
      let event = Self.event(&random)
      let before = machine
      let isLegal = history.allows(event)
      #expect(machine.apply(event) == isLegal, "\(event) in \(before)")
      if isLegal { history.accepted.append(event) } else { #expect(machine == before) }
      #expect(machine.state == history.state && machine.users == history.users)
      #expect(machine.users >= 0 && (machine.users == 0 || ["loaded", "unloading"].contains(machine.state.name)))
    }
  }

  @Test("the random events come everywhere")
  func coverage() {
    var states: Set<String> = []
    var accepted: Set<String> = []
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var machine = LoadMachine()
      for _ in 0..<120 {
        let event = Self.event(&random)
        let state = machine.state.name
        if machine.apply(event) { accepted.insert("\(event)".prefix { $0 != "(" } + " in " + state) }
        states.insert(machine.state.name)
      }
    }
    #expect(states.count == 5 && accepted.count == 13, "\(accepted.sorted())")
  }
}
