// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("Whether a model can be asked now")
struct ModelAvailabilityTests {
  private func reason(_ facts: ModelAvailability.Facts) -> ModelAvailability.Reason? {
    guard case .unavailable(let reason) = ModelAvailability(facts) else { return nil }
    return reason
  }

  private let small = MemoryBudget(budget: 100, reserved: 60, room: nil)

  @Test("one in memory is, whatever else is known of it; one on its way is not yet")
  func states() {
    let broken = ModelAvailability.Facts(
      problem: .notPulled(name: "m"), refusal: "broken", needed: 1000, memory: small)
    func facts(_ state: LoadState) -> ModelAvailability.Facts {
      var facts = broken
      facts.state = state
      return facts
    }
    #expect(ModelAvailability(facts(.loaded)) == .available)
    #expect(reason(facts(.loading(progress: 0.5))) == .loading(progress: 0.5))
    #expect(reason(facts(.unloading)) == .unloading)
    #expect(reason(facts(.notLoaded)) == .notInstalled(name: "m"))
    #expect(reason(.init(state: .failed(reason: "why"))) == .loadFailed("why"))
    #expect(ModelAvailability(.init()) == .available)
  }

  @Test("why there is no file is said first, then what is wrong with it, then what memory lacks")
  func order() {
    var facts = ModelAvailability.Facts(
      problem: .notPulled(name: "m"), refusal: "broken", state: .failed(reason: "why"), needed: 1000, memory: small)
    #expect(reason(facts) == .notInstalled(name: "m"))
    facts.problem = nil
    #expect(reason(facts) == .refused("broken"))
    facts.refusal = nil
    #expect(reason(facts) == .notEnoughMemory(needed: 1000, available: 40, budget: 100))
    facts.needed = 40
    #expect(reason(facts) == .loadFailed("why"))
    facts.state = .notLoaded
    #expect(ModelAvailability(facts).isAvailable)
  }

  @Test("memory that idle models have can be had")
  func idle() {
    var memory = small
    memory.idle = [.init(name: "other", bytes: 50, lastUse: 1)]
    #expect(ModelAvailability(.init(needed: 90, memory: memory)).isAvailable)
    #expect(reason(.init(needed: 91, memory: memory)) == .notEnoughMemory(needed: 91, available: 90, budget: 100))
    memory.room = 0
    #expect(reason(.init(needed: 90, memory: memory)) == .notEnoughMemory(needed: 90, available: 50, budget: 100))
  }

  @Test("what a store says becomes a reason that an app can act on")
  func problems() {
    func reason(_ problem: ModelStoreError) -> ModelAvailability.Reason? {
      self.reason(.init(problem: problem, memory: small))
    }
    #expect(
      reason(.cannotRun(name: "m", [.memory(needed: 9, usable: 5)]))
        == .notEnoughMemory(needed: 9, available: 5, budget: 100))
    #expect(
      reason(.cannotRun(name: "m", [.budget(needed: 9, budget: 5)]))
        == .notEnoughMemory(needed: 9, available: 5, budget: 5))
    #expect(
      reason(.cannotRun(name: "m", [.memory(needed: 9, usable: 5), .int8Hardware(processor: "p")]))
        == .deviceNotEligible(.int8Hardware(processor: "p")), "no memory helps")
    let damaged = ModelStoreError.damaged(name: "m", .unknownHash(path: "/m"))
    #expect(reason(damaged) == .refused(damaged.description))
    for problem in [ModelStoreError.noDefault, .noSuchFile(path: "/m"), .unknown(name: "m", known: ["n"])] {
      #expect(reason(problem) == .notFound(problem.description))
    }
  }

  @Test("each reason says in one line what it is and how to mend it")
  func descriptions() {
    let reasons: [ModelAvailability.Reason] = [
      .notInstalled(name: "m"), .notFound("m: unknown; try n"), .shuttingDown, .loading(progress: .infinity),
      .unloading,
      .notEnoughMemory(needed: 500_000_000, available: 40_000_000, budget: 100_000_000), .refused("m: bad; mend it"),
      .loadFailed("m: bad; mend it"), .deviceNotEligible(.int8Hardware(processor: "p")),
    ]
    for reason in reasons {
      #expect(reason.description.contains(";") && !reason.description.contains("\n"), "\(reason)")
    }
    #expect(reasons[0].description.contains("pet models pull m"))
    #expect(reasons[5].description.contains("500 MB") && reasons[5].description.contains("40 MB"))
    #expect(reasons.filter(\.isTemporary) == [.loading(progress: .infinity), .unloading])
  }

  @Test("a model of a runtime says so itself, and asking loads nothing")
  func runtime() async throws {
    let runtime = ModelRuntime(budget: 100, room: { nil })
    let (gate, open) = AsyncStream<Void>.makeStream()
    let large = try await runtime.add("large", loader: ModelLoader<Int>(version: "1", bytes: 101) { _ in 1 })
    let small = try await runtime.add(
      "small",
      loader: ModelLoader<Int>(version: "1", bytes: 80) { _ in
        for await _ in gate {}
        return 1
      })
    #expect(await large.availability == .unavailable(.notEnoughMemory(needed: 101, available: 100, budget: 100)))
    #expect(await small.availability == .available)
    #expect(await small.state == .notLoaded)
    let loading = Task { try await small.use { $0 } }
    while await small.state == .notLoaded { await Task.yield() }
    #expect(await runtime.availability("small") == .unavailable(.loading(progress: 0)))
    open.finish()
    #expect(try await loading.value == 1)
    #expect(await runtime.availability("small") == .available)
    guard case .unavailable(.notFound) = await runtime.availability("other") else {
      Issue.record("a name that there is not is available")
      return
    }
    let alone = LazyModel(name: "alone", loader: ModelLoader<Int>(version: "1", bytes: .max) { _ in 1 })
    #expect(await alone.availability == .available)
  }
}
