// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("Lazy model", .timeLimit(.minutes(1)))
struct LazyModelTests {
  private let counter = CountedModel.Counter()

  @Test("concurrent first uses load once, and all get the same", arguments: [1, 5, 1000])
  func singleFlight(_ count: Int) async throws {
    let latch = Latch()
    let model = LazyModel(name: "m", loader: .counted(counter, after: latch))
    #expect(await model.state == .notLoaded && counter.loads == 0)
    try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<count { group.addTask { try await model.use { ObjectIdentifier($0) } } }
      try await eventually { await model.waitingCount == count }
      latch.open()
      #expect(Set(try await group.reduce(into: []) { $0.append($1) }).count == 1)
    }
    #expect(counter.loads == 1 && counter.alive == 1)
    #expect(await model.isLoaded)
    #expect(await model.users == 0)
  }

  private struct Spoiled: SpoilingError { let spoilsModel: Bool }

  @Test("a model that a use found spoiled goes when its last use ends, and is loaded anew; other errors change nothing")
  func spoiled() async throws {
    let model = LazyModel(name: "m", loader: .counted(counter))
    await #expect(throws: Spoiled.self) { try await model.use { _ in throw Spoiled(spoilsModel: false) } }
    #expect(await model.isLoaded && counter.loads == 1)
    try await model.use { _ in
      await #expect(throws: Spoiled.self) { try await model.use { _ in throw Spoiled(spoilsModel: true) } }
      // Somebody still uses it; nobody else is given it.
      #expect(await model.state == .unloading)
    }
    #expect(await model.state == .notLoaded)
    await #expect(throws: Spoiled.self) { try await model.use { _ in throw Spoiled(spoilsModel: true) } }
    try await model.use { _ in }
    #expect(counter.loads == 3 && counter.most == 1)
  }

  @Test("a spoiled model goes though uses overlap; those that find out late leave the next one alone")
  func spoiledWhileUsed() async throws {
    let model = LazyModel(name: "m", loader: .counted(counter))
    let (entered, leave) = (Latch(), Latch())
    let late = Task {
      try await model.use { _ in
        entered.open()
        try await leave.wait()
        throw Spoiled(spoilsModel: true)
      }
    }
    try await entered.wait()
    await #expect(throws: Spoiled.self) { try await model.use { _ in throw Spoiled(spoilsModel: true) } }
    let state = await model.state
    try #require(state == .unloading)
    let next = try await startWaiting(model)
    leave.open()
    await #expect(throws: Spoiled.self) { try await late.value }
    #expect(try await next.value == "1")
    #expect(await model.isLoaded && counter.loads == 2 && counter.most == 1)
  }

  @Test("all who wait get the error; the next use tries again")
  func failure() async throws {
    let latch = Latch()
    let failing = Recorder<Int>()
    let loader = ModelLoader(version: "1", bytes: 1) { [counter] _ in
      try await latch.wait()
      failing.add(1)
      if failing.all.count == 1 { throw LoadFailure(number: 7) }
      return CountedModel(counter)
    }
    let model = LazyModel(name: "m", loader: loader)
    let errors = Recorder<any Error>()
    await withDiscardingTaskGroup { group in
      for _ in 0..<1000 {
        group.addTask {
          do { try await model.use { _ in } } catch { errors.add(error) }
        }
      }
      group.addTask {
        try? await eventually { await model.waitingCount == 1000 }
        latch.open()
      }
    }
    #expect(errors.all.count == 1000 && failing.all.count == 1)
    for error in errors.all {
      guard case ModelError.modelLoadFailed("m", let underlying) = error else {
        Issue.record(error)
        continue
      }
      #expect(underlying as? LoadFailure == LoadFailure(number: 7))
    }
    guard case .failed(let reason) = await model.state else {
      Issue.record("not failed")
      return
    }
    #expect(reason.contains("LoadFailure(number: 7)"))
    #expect(try await model.use { $0.label } == "")
    #expect(failing.all.count == 2)
  }

  @Test("who stops waiting does not stop the load of the others")
  func cancelledWaiter() async throws {
    let latch = Latch()
    let model = LazyModel(name: "m", loader: .counted(counter, after: latch))
    let leaving = Task { try await model.use { _ in } }
    let staying = Task { try await model.use { $0.label } }
    try await eventually { await model.waitingCount == 2 }
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    #expect(await model.state.name == "loading")
    latch.open()
    #expect(try await staying.value == "1")
  }

  @Test("the load is cancelled when the last who waited is gone")
  func lastWaiter() async throws {
    let model = LazyModel(name: "m", loader: .counted(counter, after: Latch()))
    let tasks = (0..<3).map { _ in Task { try await model.use { _ in } } }
    try await eventually { await model.waitingCount == 3 }
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    try await eventually { await model.state == .notLoaded }
    #expect(counter.loads == 0)
  }

  @Test("a load that was preloaded goes on without them")
  func preloaded() async throws {
    let latch = Latch()
    let model = LazyModel(name: "m", loader: .counted(counter, after: latch))
    await model.preload()
    let task = Task { try await model.load() }
    try await eventually { await model.waitingCount == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    latch.open()
    try await eventually { await model.isLoaded }
    try await model.load()
    #expect(counter.loads == 1)
  }

  @Test("who comes after the load was cancelled, before it ended, gets one of their own")
  func afterCancellation() async throws {
    let (first, second) = (Latch(), Latch())
    let began = Recorder<String>()
    // A loader that does not mind being cancelled.
    let loader = ModelLoader(version: "1", bytes: 1) { [counter] _ in
      began.add("load")
      if began.all.count == 1 {
        await Task { try? await first.wait() }.value
        throw LoadFailure()
      }
      try await second.wait()
      return CountedModel(counter)
    }
    let model = LazyModel(name: "m", loader: loader)
    let leaving = Task { try await model.use { _ in } }
    try await eventually { began.all.count == 1 }
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    let coming = Task { try await model.use { $0.label } }
    try await eventually { await model.waitingCount == 1 }
    first.open()
    second.open()
    #expect(try await coming.value == "")
    #expect(began.all.count == 2 && counter.loads == 1)
  }

  @Test("a task that is cancelled already loads nothing")
  func cancelledBefore() async throws {
    let began = Recorder<String>()
    let model = LazyModel(name: "m", loader: .counted(counter, began: began))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await model.use { _ in }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(began.all.isEmpty)
  }

  @Test("unloading waits for the uses that run; those that come meanwhile load again")
  func unloadWaits() async throws {
    let model = LazyModel(name: "m", loader: .counted(counter))
    let use = try await HeldUse(model)
    let unload = Task { await model.unload() }
    try await eventually { await model.state == .unloading }
    #expect(await !model.unloadIfIdle())
    let later = Task { try await model.use { ObjectIdentifier($0) } }
    try await eventually { await model.waitingCount == 1 }
    #expect(counter.alive == 1 && counter.loads == 1)
    #expect(try await use.end() == "1")
    await unload.value
    _ = try await later.value
    #expect(counter.loads == 2 && counter.most == 1)
    await model.unload()
    #expect(counter.alive == 0)
    #expect(await model.state == .notLoaded)
  }

  @Test("the use of a model within its own use does not wait for an unload that waits for it")
  func nested() async throws {
    let model = LazyModel(name: "m", loader: .counted(counter))
    let same = try await model.use { outer in
      await model.unload()
      #expect(await model.state == .unloading)
      return try await model.use { $0 === outer }
    }
    #expect(same)
    #expect(await model.state == .notLoaded)
    #expect(counter.loads == 1 && counter.alive == 0)
  }

  @Test("unloading a model that loads: nobody's load ends, others are served first")
  func unloadWhileLoading() async throws {
    let latch = Latch()
    let model = LazyModel(name: "m", loader: .counted(counter, after: latch))
    await model.preload()
    try await eventually { await model.state == .loading(progress: 0.25) }
    await model.unload()
    #expect(await model.state == .notLoaded)

    let user = Task { try await model.use { $0.label } }
    try await eventually { await model.waitingCount == 1 }
    let unload = Task { await model.unload() }
    latch.open()
    #expect(try await user.value == "1")
    await unload.value
    try await eventually { await model.state == .notLoaded }
    #expect(counter.loads == 1 && counter.alive == 0)
  }

  /// A use that waits for a load.
  private func startWaiting(_ model: LazyModel<CountedModel>) async throws -> Task<String, any Error> {
    let user = Task { try await model.use { $0.label } }
    try await eventually { await model.waitingCount == 1 }
    return user
  }

  /// A loader that does not mind being cancelled.
  private func stubborn(_ label: String, _ began: Latch, after latch: Latch) -> ModelLoader<CountedModel> {
    ModelLoader(version: label, bytes: 100) { [counter] _ in
      began.open()
      await Task { try? await latch.wait() }.value
      return CountedModel(counter, label)
    }
  }

  @Test("a step during a load that nobody waits for: what comes of it is not taken")
  func stepDuringPreload() async throws {
    let (began, latch) = (Latch(), Latch())
    let runtime = ModelRuntime(budget: 150, room: { nil })
    let model = try await runtime.add(
      "m", loader: stubborn("high", began, after: latch), smaller: [.counted(counter, "low", bytes: 60)])
    await model.preload()
    try await began.wait()
    #expect(await model.degrade())
    latch.open()
    // It fits only when the memory of the other is free.
    try await eventually { await model.isLoaded }
    #expect(await model.loadedVersion == "low")
    #expect(counter.loads == 2 && counter.most == 1 && runtime.reservedBytes == 60)
  }

  @Test("a step during a load that somebody waits for holds, whoever comes after it", arguments: [true, false])
  func stepDuringLoad(comesFirst: Bool) async throws {
    let (began, latch) = (Latch(), Latch())
    let model = LazyModel(
      name: "m", loader: stubborn("high", began, after: latch), smaller: [.counted(counter, "low")])
    let user: Task<String, any Error>
    if comesFirst {
      user = try await startWaiting(model)
      #expect(await model.degrade())
      await model.preload()
    } else {
      await model.preload()
      try await began.wait()
      #expect(await model.degrade())
      user = try await startWaiting(model)
    }
    latch.open()
    #expect(try await user.value == "high")
    #expect(try await model.use { $0.label } == "low")
    #expect(counter.loads == 2 && counter.most == 1)
  }

  @Test("two steps during a load that end where it began change nothing")
  func stepsBack() async throws {
    let latch = Latch()
    let model = LazyModel(
      name: "m", loader: .counted(counter, "high", after: latch), smaller: [.counted(counter, "low")])
    let user = try await startWaiting(model)
    #expect(await model.degrade())
    #expect(await model.restore())
    latch.open()
    #expect(try await user.value == "high")
    #expect(await model.loadedVersion == "high" && counter.loads == 1)
  }

  @Test("errors of a use are its own, and end it")
  func bodyFails() async throws {
    let model = LazyModel(name: "m", loader: .counted(counter))
    await #expect(throws: LoadFailure.self) { try await model.use { _ in throw LoadFailure() } }
    #expect(await model.users == 0)
    #expect(await model.isLoaded)
  }

  @Test("after so long without a use it is unloaded; looking at it is no use")
  func idleTime() async throws {
    let clock = ManualClock()
    let model = LazyModel(name: "m", loader: .counted(counter), idleTime: .seconds(60), clock: clock)
    try await model.use { _ in
      clock.advance(by: .seconds(1000))  // a use is not idleness
    }
    try await eventually { clock.sleeping == 1 }
    clock.advance(by: .seconds(59))
    #expect(await model.isLoaded)
    try await model.use { _ in
      #expect(clock.now.offset == .seconds(1059))  // the time begins anew
    }
    try await eventually { clock.sleeping == 1 }
    clock.advance(by: .seconds(59))
    try await eventually { clock.sleeping == 1 }
    for _ in 0..<10 { #expect(await model.facts.state == .loaded) }
    clock.advance(by: .seconds(1))
    try await eventually { await model.state == .notLoaded }
    #expect(counter.alive == 0)

    // The same for one that nobody has used.
    await model.preload()
    try await eventually { clock.sleeping == 1 }
    clock.advance(by: .seconds(60))
    try await eventually { await model.state == .notLoaded }
  }

  @Test("however often it is used, and loaded and unloaded, one timer waits for it to be idle")
  func oneTimer() async throws {
    let clock = ManualClock()
    let model = LazyModel(name: "m", loader: .counted(counter), idleTime: .seconds(60), clock: clock)
    for _ in 0..<100 { try await model.use { _ in clock.advance(by: .milliseconds(1)) } }
    try await eventually { clock.sleeping == 1 }
    for _ in 0..<10 {
      await Task.yield()
      #expect(clock.sleeping == 1)
    }
    for _ in 0..<10 {
      await model.unload()
      try await eventually { await model.state == .notLoaded }
      await Task.yield()
      #expect(clock.sleeping == 1)
      try await model.use { _ in }
    }
    clock.advance(by: .seconds(61))
    try await eventually { await model.state == .notLoaded }
    #expect(clock.sleeping == 0)
  }

  @Test("every observer sees every state in order, and the end when the owner goes")
  func states() async throws {
    var model: LazyModel? = LazyModel(
      name: "m",
      loader: ModelLoader(version: "1", bytes: 1) { [counter] progress in
        // More often than anybody would look, back and forth, and out of range.
        for step in 0...10_000 { progress(Double(step) / 10_000) }
        for value in [0.5, -1, 2, Double.nan, .infinity] { progress(value) }
        return CountedModel(counter)
      })
    let observers = try (0..<3).map { _ in
      let states = try #require(model).states
      return Task { await states.reduce(into: [LoadState]()) { $0.append($1) } }
    }
    try await model?.use { _ in }
    await model?.unload()
    try await model?.load()
    model = nil
    var all: [[LoadState]] = []
    for observer in observers { all.append(await observer.value) }
    #expect(all[0] == all[1] && all[1] == all[2])
    var names: [String] = []
    for state in all[0] where names.last != state.name { names.append(state.name) }
    #expect(names == ["notLoaded", "loading", "loaded", "unloading", "notLoaded", "loading", "loaded"])
    #expect(all[0].count <= 7 + 2 * 100)
    #expect(counter.alive == 0)
  }

  @Test("an observer that comes later begins with what is")
  func lateObserver() async throws {
    let model = LazyModel(name: "m", loader: .counted(counter))
    try await model.load()
    var states = model.states.makeAsyncIterator()
    #expect(await states.next() == .loaded)
    await model.unload()
    #expect(await states.next() == .unloading)
    #expect(await states.next() == .notLoaded)
  }
}
