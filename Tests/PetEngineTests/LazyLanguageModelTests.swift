// SPDX-License-Identifier: Apache-2.0
import CInstrumentation
import Foundation
import PetEngine
import PetRuntime
import Testing

@Suite("Lazy language model", .timeLimit(.minutes(5)))
struct LazyLanguageModelTests {
  private static let small = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/models/phi3-mha/model.gguf").path

  private func configuration(model: String) throws -> Configuration {
    try Configuration(.init(flags: [.init(.model, model, name: "--model")]))
  }

  @Test("the built-in model is found by name, loads at the first use, and answers")
  func firstUse() async throws {
    let store = ModelStore(folder: "/nonexistent", catalog: try Catalog.builtIn())
    let settings = Configuration(.watch)
    let runtime = ModelRuntime(settings)
    let lazy = try await runtime.addLanguageModel(settings, in: store).model
    #expect(await lazy.state == .notLoaded)
    #expect(await lazy.facts.bytes == 0)
    let text = try await lazy.use { model in
      try await LanguageModelSession(model: model, instructions: "You are a cat.").respond(
        to: "Hello!", options: .greedy()
      ).text
    }
    #expect(!text.isEmpty)
    let estimate = try MemoryEstimate(GGUFFile(.builtIn(name: "nano-v6.gguf")), .init(settings))
    #expect(await lazy.facts.bytes == UInt64(estimate.model))
    #expect(runtime.reservedBytes == UInt64(estimate.model))
    await lazy.unload()
    #expect(await lazy.state == .notLoaded)
    for name in ["no-such-model", "/no/such/model.gguf"] {
      await #expect(throws: ModelStoreError.self) {
        try await runtime.addLanguageModel(configuration(model: name), in: store)
      }
    }
  }

  /// A store of one model in two tiers, whose large file may come later.
  private final class TwoTiers {
    let home = FileManager.default.temporaryDirectory.appending(path: "pet-tiers-\(UUID())")
    let store: ModelStore
    private let large: Data

    init(isWhole: Bool) throws {
      large = try LazyLanguageModelTests.nano()
      let small = try Data(contentsOf: URL(filePath: LazyLanguageModelTests.small))
      func file(_ bytes: Data) -> String {
        """
        {"name": "m.gguf", "bytes": \(bytes.count), "sha256": "\(String(repeating: "0", count: 64))",
         "source": {"type": "huggingface", "repo": "a/b", "revision": "main", "file": "m.gguf"}}
        """
      }
      let catalog = try Catalog(
        json: Data(
          """
          {"version": 2, "models": [{"name": "m", "kind": "language", "architecture": "phi3", "parameters": 1,
            "description": "a test", "licence": "MIT", "context": 64, "default_for": ["phone"],
            "requirements": {"minimum_memory_mb": 1, "int8_hardware": "optional", "recommended_quality": "high"},
            "files": {"high": \(file(large)), "low": \(file(small))}}]}
          """.utf8))
      store = ModelStore(folder: home.path, catalog: catalog)
      try put(small, in: "m-low")
      if isWhole { try putLarge() }
    }

    deinit { try? FileManager.default.removeItem(at: home) }

    func putLarge() throws { try put(large, in: "m") }

    private func put(_ bytes: Data, in name: String) throws {
      let folder = home.appending(path: name)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try bytes.write(to: folder.appending(path: "m.gguf"))
    }
  }

  @Test("a tier that takes more than the budget, with these settings, gives way to a smaller one")
  func tooLargeForTheBudget() async throws {
    let tiers = try TwoTiers(isWhole: true)
    for (budget, isLarge) in [("400 MB", true), ("8 MB", false)] {
      let settings = try Configuration(.init(flags: [.init(.memoryBudget, budget, name: "--set")]))
      let (lazy, selection) = try await ModelRuntime(settings).addLanguageModel(settings, in: tiers.store)
      #expect(try await lazy.use { $0.path } == tiers.store.folder + (isLarge ? "/m/m.gguf" : "/m-low/m.gguf"))
      #expect((selection.standsIn == nil) == isLarge && selection.smaller.isEmpty != isLarge)
    }
  }

  @Test(
    "the model that was meant takes its place when it comes, between two turns, and the conversation goes on",
    arguments: [true, false])
  func comesLater(isLoaded: Bool) async throws {
    let tiers = try TwoTiers(isWhole: false)
    let settings = try Configuration(.init())
    let runtime = ModelRuntime(settings)
    let (lazy, selection) = try await runtime.addLanguageModel(settings, in: tiers.store)
    let pet = LivingPet(nil)
    let companion = LazyCompanion(lazy, pet: pet, instructions: "You are a cat.") { _ in .greedy(maximumTokens: 8) }
    if isLoaded { _ = try await companion.respondKeeping(to: "Hello!", waits: true) { _ in } }
    #expect(try await runtime.renew(lazy, chosen: selection, settings, in: tiers.store) == nil)
    try tiers.putLarge()
    let renewed = try #require(try await runtime.renew(lazy, chosen: selection, settings, in: tiers.store))
    #expect(renewed.standsIn == nil)
    #expect(try await runtime.renew(lazy, chosen: renewed, settings, in: tiers.store) == nil)
    let (answer, state) = try await companion.respondKeeping(to: "And now?", waits: true) { _ in }
    #expect(try await lazy.use { $0.path } == tiers.store.folder + "/m/m.gguf")
    #expect(
      answer.model?.name == "m" && state.exchanges.map(\.user) == (isLoaded ? ["Hello!", "And now?"] : ["And now?"]))
  }

  private static func nano() throws -> Data {
    try Data(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Models/nano-v6.gguf"))
  }

  @Test("when memory is short a conversation moves to a smaller model and keeps what was said")
  func stepsDown() async throws {
    let options = LanguageModel.LoadOptions(threadCount: 1, contextLength: 256)
    let runtime = ModelRuntime()
    let nano = ModelLocation.builtIn(name: "nano-v6.gguf")
    let lazy = try await runtime.add(
      "m", loader: .language(nano, options), smaller: [.language(.file(path: Self.small), options)])
    let pet = LivingPet(nil)
    let kept = try await lazy.use { model in
      let companion = try Companion(model, pet: pet, instructions: "You are a cat.")
      _ = try await companion.respond(to: "Hello!", options: .greedy(maximumTokens: 24))
      return await companion.state()
    }
    #expect(await runtime.respond(to: .critical) == [.clearCaches, .degrade("m")])
    #expect(runtime.reservedBytes == 0)
    try await lazy.use { model in
      #expect(model.path == Self.small)
      let companion = try Companion(model, pet: pet, resuming: kept)
      let answer = try await companion.respond(to: "Do you know me?", options: .greedy(maximumTokens: 80))
      #expect(answer.generation.usage.droppedTurns == 0 && answer.generation.usage.promptTokens > 30)
      let lines = await companion.state().exchanges.map(\.user)
      #expect(lines == ["Hello!", "Do you know me?"])
    }
  }

  @Test("what cannot be loaded says what the file says")
  func broken() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "pet-broken-\(UUID()).gguf").path
    try Data("GGUF".utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let runtime = ModelRuntime()
    let lazy = try await runtime.addLanguageModel(
      configuration(model: path), in: ModelStore(folder: "/nonexistent", catalog: try Catalog.builtIn())
    ).model
    await #expect {
      try await lazy.use { _ in }
    } throws: { error in
      guard case ModelError.modelLoadFailed(_, let underlying) = error else { return false }
      return underlying is GGUFError && "\(error)".contains(path)
    }
  }

  @Test("a newer file is swapped in under a running reply; a bad one is not")
  func swap() async throws {
    let options = LanguageModel.LoadOptions(threadCount: 1)
    let lazy = LazyModel(name: "m", loader: try .language(.builtIn(name: "nano-v6.gguf"), version: "1", options))
    let candidate = try ModelLoader.language(.file(path: Self.small), version: "2", options)
    let reply = try await lazy.use { model in
      let before = try await model.complete("Once", .greedy(maximumTokens: 4)).text
      try await lazy.install(candidate) { model in
        guard try await model.complete("Once", .greedy(maximumTokens: 2)).tokens.count == 2 else {
          throw CancellationError()
        }
      }
      #expect(try await lazy.use { $0.path } == Self.small)
      #expect(try await model.complete("Once", .greedy(maximumTokens: 4)).text == before)
      return before
    }
    #expect(!reply.isEmpty)
    let bad = try ModelLoader.language(.file(path: #filePath), version: "3", options)
    await #expect(throws: ModelError.self) { try await lazy.install(bad) }
    #expect(try await lazy.use { $0.path } == Self.small)
    try await lazy.rollback()
    #expect(try await lazy.use { $0.path } == "nano-v6.gguf")
    await lazy.unload()
  }

  /// In a process of its own: other tests load models too. What the first loads bring for good is the program's own code and
  /// what the allocator keeps for each thread, as many as there are processors, so memory is compared with what it was after some of
  /// them. Pages of files come and go as the system likes: the least of several cycles is what is kept.
  @Test(
    "after 200 times of loading, replying and unloading, memory is back within 5 % of what it was",
    .disabled(if: is_sanitized(), "sanitizers keep what is freed"))
  func memoryReturns() async throws {
    await #expect(processExitsWith: .success) {
      // Weights in memory of their own, and weights that stay in the program's file.
      let models = try [WeightLayout.interleaved, .rowMajor].map {
        LazyModel(
          name: "nano",
          loader: try .language(.builtIn(name: "nano-v6.gguf"), .init(threadCount: 2, weightLayout: $0)))
      }
      HeapMemory.staySmall()
      var (before, after, loaded) = (UInt64.max, UInt64.max, UInt64.max)
      for cycle in 0..<220 {
        let model = models[cycle % 2]
        try await model.use {
          let session = try LanguageModelSession(model: $0, instructions: "You are a cat.")
          guard try await !session.respond(to: "Hello!", options: .greedy(maximumTokens: 4)).tokens.isEmpty else {
            exit(3)
          }
          loaded = min(loaded, ResidentMemory.read().current)
        }
        await model.unload()
        let resident = ResidentMemory.read().current
        if (10..<20).contains(cycle) { before = min(before, resident) }
        if cycle >= 210 { after = min(after, resident) }
      }
      // A model that takes no memory would show nothing.
      guard before > 0, loaded > before + (8 << 20) else { exit(4) }
      exit(after <= before + before / 20 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}
