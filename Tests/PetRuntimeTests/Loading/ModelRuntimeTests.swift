// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import SeededGenerator
import Testing

@Suite("Model runtime", .timeLimit(.minutes(1)))
struct ModelRuntimeTests {
  private let counter = CountedModel.Counter()

  private func runtime(budget: UInt64 = 300, room: UInt64? = nil) -> ModelRuntime {
    ModelRuntime(budget: budget, room: { room })
  }

  @Test("within the budget nothing goes; beyond it the least recently used do, and only idle ones")
  func leastRecentlyUsed() async throws {
    let runtime = runtime()
    let models = try await ["a", "b", "c", "d"].asyncMap { try await runtime.add($0, loader: .counted(counter)) }
    for model in models.prefix(3) { try await model.use { _ in } }
    #expect(await runtime.loadedModels().map(\.name) == ["a", "b", "c"])
    #expect(runtime.reservedBytes == 300)
    try await models[0].use { _ in }
    try await models[3].use { _ in }
    #expect(await runtime.loadedModels().map(\.name) == ["a", "c", "d"])

    try await models[2].use { _ in
      try await models[0].use { _ in
        try await models[3].use { _ in
          await #expect {
            try await models[1].use { _ in }
          } throws: { error in
            guard case ModelError.insufficientMemory("b", needed: 100, available: 0, budget: 300) = error
            else { return false }
            return "\(error)".contains("0.0 MB")
          }
        }
      }
    }
    #expect(await runtime.facts().first { $0.name == "b" }?.state.name == "failed")
    // Once they are idle it helps to ask again.
    try await models[1].use { _ in }
    #expect(counter.alive == 3 && counter.most == 3)
    await runtime.unloadAll()
    #expect(counter.alive == 0 && runtime.reservedBytes == 0)
  }

  @Test("what is too big is refused with figures, and nothing is unloaded for it")
  func tooBig() async throws {
    let runtime = runtime(room: 150)
    let small = try await runtime.add("small", loader: .counted(counter))
    let big = try await runtime.add("big", loader: .counted(counter, bytes: 300 << 20))
    try await small.load()
    await #expect {
      try await big.load()
    } throws: { error in
      "\(error)"
        == "model 'big': needs 314.5 MB of memory, 0.0 MB can be had within the budget of 0.0 MB; choose a smaller "
        + "model, unload another, or raise memory.budget or the limit"
    }
    #expect(await small.isLoaded)
    #expect(counter.loads == 1)
  }

  @Test("what the control group leaves binds too, without what is promised to others")
  func room() async throws {
    let runtime = runtime(budget: 1000, room: 150)
    let latch = Latch()
    let first = try await runtime.add("first", loader: .counted(counter, after: latch))
    let second = try await runtime.add("second", loader: .counted(counter))
    let loading = Task { try await first.use { _ in } }
    try await eventually { runtime.reservedBytes == 100 }
    await #expect {
      try await second.load()
    } throws: { error in
      if case ModelError.insufficientMemory("second", needed: 100, available: 50, budget: 1000) = error {
        true
      } else {
        false
      }
    }
    latch.open()
    try await loading.value
    // The system's figure holds what is loaded already.
    try await second.load()
    #expect(runtime.reservedBytes == 200)
  }

  @Test("many models that load at once never hold more than the budget", arguments: 0..<4)
  func neverAbove(_ seed: UInt64) async throws {
    let runtime = runtime(budget: 350)
    let models = try await (0..<12).asyncMap { try await runtime.add("\($0)", loader: .counted(counter, "\($0)")) }
    let served = Recorder<Bool>()
    await withDiscardingTaskGroup { group in
      for worker in 0..<48 {
        group.addTask {
          var random = SeededGenerator(seed: seed << 8 + UInt64(worker))
          for _ in 0..<20 {
            do {
              try await models.randomElement(using: &random)?.use { _ in await Task.yield() }
              served.add(true)
            } catch {
              guard case ModelError.insufficientMemory = error else {
                Issue.record(error)
                continue
              }
            }
            #expect(runtime.reservedBytes <= 350)
          }
        }
      }
    }
    #expect(counter.most <= 3 && served.all.count > 100)
    await runtime.unloadAll()
    #expect(runtime.reservedBytes == 0 && counter.alive == 0)
  }

  @Test("a failed or cancelled load gives its part of the budget back")
  func givesBack() async throws {
    let runtime = runtime()
    let bad = try await runtime.add("bad", loader: .counted(counter, failing: LoadFailure()))
    await #expect(throws: ModelError.self) { try await bad.load() }
    #expect(runtime.reservedBytes == 0)
    let slow = try await runtime.add("slow", loader: .counted(counter, after: Latch()))
    let task = Task { try await slow.load() }
    try await eventually { runtime.reservedBytes == 100 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await eventually { runtime.reservedBytes == 0 }
  }

  @Test("names and kinds")
  func names() async throws {
    let runtime = runtime()
    let model = try await runtime.add("pose", loader: .counted(counter))
    await #expect { try await runtime.add("pose", loader: .counted(counter)) } throws: {
      "\($0)".contains("another model")
    }
    #expect(try await runtime.model("pose", as: CountedModel.self) === model)
    await #expect { try await runtime.model("pose", as: String.self) } throws: { "\($0)".contains("not a String") }
    await #expect { try await runtime.model("prose", as: String.self) } throws: {
      "\($0)" == "model 'prose': unknown; known are pose"
    }
    await #expect(throws: ModelError.self) { try await runtime.unload("prose") }
  }

  @Test("in the background nothing is loaded; what was, is loaded again")
  func background() async throws {
    let runtime = runtime()
    let models = try await ["a", "b", "c"].asyncMap { try await runtime.add($0, loader: .counted(counter)) }
    try await models[0].load()
    try await models[2].load()
    await runtime.enterBackground()
    #expect(counter.alive == 0)
    await runtime.enterBackground()
    await runtime.becomeActive()
    try await eventually { await runtime.loadedModels().map(\.name) == ["a", "c"] }
    await runtime.unloadAll()
    await runtime.becomeActive()
    #expect(await runtime.loadedModels().isEmpty)
  }

  @Test("a memory warning clears caches, then steps down or unloads; running uses end well")
  func memoryWarning() async throws {
    let runtime = runtime()
    let order = Recorder<String>()
    let tiered = try await runtime.add(
      "tiered", loader: .counted(counter, "high"), smaller: [.counted(counter, "low", bytes: 10)])
    let plain = try await runtime.add("plain", loader: .counted(counter))
    let other = try await runtime.add("other", loader: .counted(counter))
    await runtime.addCache("replies") { order.add("replies \(await plain.isLoaded)") }
    await runtime.addCache("other") { order.add("never") }
    await runtime.removeCache("other")
    try await plain.load()
    try await other.use { used in
      let label = try await tiered.use { model in
        await runtime.memoryWarning()
        #expect(await plain.state == .notLoaded)
        return model.label
      }
      #expect(label == "high")
      #expect(used.label == "1")
    }
    #expect(order.all == ["replies true"])
    #expect(await other.isLoaded)
    #expect(try await tiered.use { $0.label } == "low")
    #expect(await runtime.facts().first { $0.name == "tiered" }?.bytes == 10)
    #expect(await !runtime.degrade("tiered"))
    #expect(await runtime.restore("tiered"))
    #expect(try await tiered.use { $0.label } == "high")
  }

  @Test("levels that come in are answered until they end")
  func follow() async throws {
    let runtime = runtime()
    let models = try await ["a", "b"].asyncMap { try await runtime.add($0, loader: .counted(counter)) }
    for model in models { try await model.load() }
    let (levels, continuation) = AsyncStream<MemoryPressureLevel>.makeStream()
    let following = Task { await runtime.follow(levels) }
    continuation.yield(.normal)
    continuation.yield(.warning)
    try await eventually { await runtime.loadedModels().map(\.name) == ["b"] }
    continuation.yield(.critical)
    continuation.finish()
    await following.value
    #expect(await runtime.loadedModels().isEmpty)
  }

  @Test("every error says what and how to mend it, in one line")
  func errors() {
    let errors: [ModelError] = [
      .modelNotFound(model: "m", known: []), .modelLoadFailed(model: "m", underlying: LoadFailure()),
      .inferenceFailed(model: "m", underlying: LoadFailure()),
      .insufficientMemory(model: "m", needed: .max, available: 0, budget: 500 << 20),
      .modelNotAvailable(model: "m", reason: "r; wait"), .invalidInput(model: "m", reason: "r; give another"),
      .modelNotLoaded(model: "m"), .invalidOutput(model: "m", reason: "r"),
    ]
    for error in errors {
      let text = "\(error)"
      #expect(text.hasPrefix("model 'm': ") && text.contains("; ") && !text.contains("\n"), "\(text)")
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
    var all: [T] = []
    for element in self { all.append(try await transform(element)) }
    return all
  }
}
