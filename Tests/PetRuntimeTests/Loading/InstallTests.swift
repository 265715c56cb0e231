// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("A newer version", .timeLimit(.minutes(1)))
struct InstallTests {
  private let counter = CountedModel.Counter()

  @Test("comes beside the old one: running uses end on it, new ones have the newer, then the old one is freed")
  func beside() async throws {
    let model = LazyModel(name: "m", loader: .counted(counter, "1"))
    let states = model.states
    let use = try await HeldUse(model)
    try await model.install(.counted(counter, "2")) { #expect($0.label == "2") }
    #expect(counter.alive == 2)
    #expect(await model.users == 1)
    #expect(try await model.use { $0.label } == "2")
    #expect(try await use.end() == "1")
    #expect(counter.alive == 1)
    #expect(await model.loadedVersion == "2")

    try await model.rollback()
    #expect(try await model.use { $0.label } == "1")
    #expect(counter.alive == 1)
    try await model.rollback()
    #expect(try await model.use { $0.label } == "2")
    await model.unload()
    #expect(counter.alive == 0)
    var seen: [String] = []
    for await state in states where seen.last != state.name {
      seen.append(state.name)
      if seen.count == 5 { break }
    }
    // Nobody had to wait: it stayed loaded all the time.
    #expect(seen == ["notLoaded", "loading", "loaded", "unloading", "notLoaded"])
  }

  enum Fault: CaseIterable { case validation, load, selfTest, memory }

  private func candidate(_ fault: Fault) -> ModelLoader<CountedModel> {
    var loader = ModelLoader.counted(
      counter, "2", bytes: fault == .memory ? 1001 : 100, failing: fault == .load ? LoadFailure() : nil)
    if fault == .validation { loader.validate = { throw LoadFailure(number: 2) } }
    return loader
  }

  @Test("one that is bad leaves the old one serving", arguments: Fault.allCases, [true, false])
  func bad(_ fault: Fault, besideFits: Bool) async throws {
    let runtime = ModelRuntime(budget: besideFits ? 1000 : 150, room: { nil })
    let model = try await runtime.add("m", loader: .counted(counter, "1"))
    try await model.load()
    let alive = counter.alive
    await #expect {
      try await model.install(candidate(fault)) { _ in if fault == .selfTest { throw LoadFailure(number: 3) } }
    } throws: { error in
      switch (fault, error) {
      case (.validation, ModelError.modelLoadFailed("m 2", let underlying)): (underlying as? LoadFailure)?.number == 2
      case (.load, ModelError.modelLoadFailed("m 2", let underlying)): (underlying as? LoadFailure)?.number == 0
      case (.selfTest, ModelError.invalidOutput("m 2", _)): "\(error)".contains("number: 3")
      case (.memory, ModelError.insufficientMemory("m 2", needed: 1001, available: _, budget: _)): true
      default: false
      }
    }
    #expect(counter.alive == alive)
    #expect(try await model.use { $0.label } == "1")
    #expect(await model.version == "1")
    #expect(runtime.reservedBytes == 100)
    await #expect(throws: ModelError.self) { try await model.rollback() }
    // And a good one may follow.
    try await model.install(.counted(counter, "3"))
    #expect(try await model.use { $0.label } == "3")
    #expect(runtime.reservedBytes == 100 && counter.alive == 1)
  }

  @Test("comes after the old one where memory is short: running uses end first, new ones wait for it")
  func after() async throws {
    let runtime = ModelRuntime(budget: 150, room: { nil })
    let model = try await runtime.add("m", loader: .counted(counter, "1"))
    let use = try await HeldUse(model)
    let install = Task { try await model.install(.counted(counter, "2")) }
    try await eventually { await model.state == .unloading }
    let later = Task { try await model.use { $0.label } }
    try await eventually { await model.waitingCount == 2 }
    #expect(counter.loads == 1)
    #expect(try await use.end() == "1")
    try await install.value
    #expect(try await later.value == "2")
    #expect(counter.most == 1 && counter.loads == 2)
    try await model.rollback()
    #expect(try await model.use { $0.label } == "1")
    #expect(counter.most == 1)
  }

  @Test("who waits while a bad one is tried in the old one's place gets the old one again")
  func waitersSurvive() async throws {
    let runtime = ModelRuntime(budget: 150, room: { nil })
    let model = try await runtime.add("m", loader: .counted(counter, "1"))
    try await model.load()
    let latch = Latch()
    let install = Task { try await model.install(.counted(counter, "2", after: latch, failing: LoadFailure())) }
    try await eventually { await model.state.name == "loading" }
    let users = (0..<50).map { _ in Task { try await model.use { $0.label } } }
    try await eventually { await model.waitingCount == 51 }
    latch.open()
    for user in users { #expect(try await user.value == "1") }
    await #expect(throws: ModelError.self) { try await install.value }
    #expect(await model.loadedVersion == "1")
  }

  @Test("with nothing loaded it is tried and freed again")
  func notLoaded() async throws {
    let model = LazyModel(name: "m", loader: .counted(counter, "1"))
    try await model.install(.counted(counter, "2"))
    #expect(counter.loads == 1 && counter.alive == 0)
    #expect(await model.state == .notLoaded)
    #expect(try await model.use { $0.label } == "2")
    await #expect(throws: ModelError.self) { try await model.install(.counted(counter, "3", failing: LoadFailure())) }
    #expect(await model.version == "2")
  }

  @Test("an installation that is cancelled leaves all as it was", arguments: [true, false])
  func cancelled(besideFits: Bool) async throws {
    let runtime = ModelRuntime(budget: besideFits ? 1000 : 150, room: { nil })
    let model = try await runtime.add("m", loader: .counted(counter, "1"))
    try await model.load()
    let began = Recorder<String>()
    let install = Task { try await model.install(.counted(counter, "2", after: Latch(), began: began)) }
    try await eventually { !began.all.isEmpty }
    await #expect { try await model.install(.counted(counter, "3")) } throws: { "\($0)".contains("being installed") }
    install.cancel()
    await #expect(throws: CancellationError.self) { try await install.value }
    #expect(try await model.use { $0.label } == "1")
    try await model.install(.counted(counter, "3"))
    #expect(try await model.use { $0.label } == "3")
    #expect(counter.alive == 1 && runtime.reservedBytes == 100)
  }

  @Test("one that others wait for comes though its installer has gone, and tells when it does")
  func abandoned() async throws {
    let runtime = ModelRuntime(budget: 150, room: { nil })
    let model = try await runtime.add("m", loader: .counted(counter, "1"))
    try await model.load()
    let (latch, adopted) = (Latch(), Recorder<String>())
    var candidate = ModelLoader.counted(counter, "2", after: latch)
    candidate.onAdopt = { adopted.add("2") }
    let install = Task { [candidate] in try await model.install(candidate) }
    try await eventually { await model.state.name == "loading" }
    let later = Task { try await model.use { $0.label } }
    try await eventually { await model.waitingCount == 2 }
    install.cancel()
    await #expect(throws: CancellationError.self) { try await install.value }
    #expect(adopted.all.isEmpty)
    latch.open()
    #expect(try await later.value == "2")
    #expect(adopted.all == ["2"])
  }

  @Test("uses go on all the time while versions come and go", arguments: [1000, 150] as [UInt64])
  func underLoad(budget: UInt64) async throws {
    let runtime = ModelRuntime(budget: budget, room: { nil })
    let model = try await runtime.add("m", loader: .counted(counter, "0"))
    let stop = Recorder<Bool>()
    try await withThrowingDiscardingTaskGroup { group in
      for _ in 0..<16 {
        group.addTask {
          var last = 0
          while stop.all.isEmpty {
            let version = try await model.use { model in
              await Task.yield()
              return Int(model.label) ?? -1
            }
            #expect(version >= last)  // never back
            last = version
          }
        }
      }
      group.addTask {
        for version in 1...40 {
          try await model.install(.counted(counter, "\(version)"))
          try? await model.install(.counted(counter, "-1", failing: LoadFailure()))
        }
        stop.add(true)
      }
    }
    #expect(try await model.use { $0.label } == "40")
    #expect(counter.alive == 1 && runtime.reservedBytes == 100)
    #expect(counter.most <= (budget == 150 ? 1 : 42))
  }
}
