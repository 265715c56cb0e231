// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import PetEngine
import PetEngineLifecycle
import PetEngineTesting
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite("A language model as a service of a program", .timeLimit(.minutes(1)))
struct LanguageModelServiceTests {
  private static let small = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/models/phi3-mha/model.gguf").path

  private func service(
    path: String = Self.small, loads: Bool = true, clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> LanguageModelService {
    var options = LanguageModelService.Options()
    options.loadsAtStart = loads
    options.followsMemoryPressure = false
    options.drainLimit = .seconds(30)
    options.clock = clock
    options.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let runtime = ModelRuntime()
    let loader = try ModelLoader.language(.file(path: path), .init(threadCount: 1))
    return LanguageModelService(try await runtime.add("m", loader: loader), in: runtime, options)
  }

  /// The states up to one that is asked for.
  private func wait(for state: LoadState, of service: LanguageModelService) async {
    _ = await service.model.states.first { $0 == state }
  }

  private func endless() throws -> GenerationOptions {
    var options = GenerationOptions.greedy(maximumTokens: 1_000_000)
    options.stopsAtEnd = false
    return options
  }

  @Test("it loads when the program starts, answers, and unloads when the program ends")
  func life() async throws {
    let service = try await service()
    #expect(await service.availability == .available)
    try await testGracefulShutdown { trigger in
      async let running: Void = service.run()
      await wait(for: .loaded, of: service)
      let text = try await service.use { model in
        try await LanguageModelSession(model: model).respond(to: "Hello!", options: .greedy(maximumTokens: 4)).text
      }
      #expect(!text.isEmpty)
      trigger.triggerGracefulShutdown()
      try await running
    }
    #expect(await service.runtime.loadedModels().isEmpty)
    #expect(service.runtime.reservedBytes == 0)
    #expect(await service.availability == .unavailable(.shuttingDown))
    await #expect {
      try await service.use { _ in }
    } throws: {
      if case ModelError.modelNotAvailable("m", _) = $0 { true } else { false }
    }
  }

  @Test("without being told to it does not load before somebody asks")
  func lazy() async throws {
    let service = try await service(loads: false)
    try await testGracefulShutdown { trigger in
      async let running: Void = service.run()
      #expect(await service.model.state == .notLoaded)
      #expect(try await service.use { $0.name } == "model")
      trigger.triggerGracefulShutdown()
      try await running
    }
  }

  @Test("a reply that is being written when the program is to end is finished, and nothing new is begun")
  func drains() async throws {
    let service = try await service()
    let (began, begin) = AsyncStream<Void>.makeStream()
    let (gate, open) = AsyncStream<Void>.makeStream()
    try await testGracefulShutdown { trigger in
      async let running: Void = service.run()
      async let reply = service.use { model in
        begin.finish()
        for await _ in gate {}
        return try await model.complete("Once", .greedy(maximumTokens: 4))
      }
      for await _ in began {}
      trigger.triggerGracefulShutdown()
      while await service.availability.isAvailable { await Task.yield() }
      await #expect(throws: ModelError.self) { try await service.use { _ in } }
      #expect(await service.model.isLoaded, "not under a reply")
      open.finish()
      #expect(try await reply.tokens.count == 4)
      try await running
      #expect(await service.model.state == .notLoaded)
    }
  }

  @Test("a reply that takes longer than there is time ends with what there is")
  func limit() async throws {
    let service = try await service(clock: ImmediateClock())
    let (began, begin) = AsyncStream<Void>.makeStream()
    let options = try endless()
    try await testGracefulShutdown { trigger in
      async let running: Void = service.run()
      async let reply = service.use { model in
        try await model.complete("Once", options) { _ in begin.finish() }
      }
      for await _ in began {}
      trigger.triggerGracefulShutdown()
      let result = try await reply
      #expect(result.finishReason == .cancelled && !result.tokens.isEmpty)
      try await running
    }
    #expect(service.runtime.reservedBytes == 0)
  }

  @Test("who stops listening stops the reply")
  func cancelled() async throws {
    let service = try await service()
    let (began, begin) = AsyncStream<Void>.makeStream()
    let options = try endless()
    let task = Task { try await service.use { try await $0.complete("Once", options) { _ in begin.finish() } } }
    for await _ in began {}
    task.cancel()
    #expect(try await task.value.finishReason == .cancelled)
  }

  @Test("a streamed reply stops with who reads it, and tells what went wrong")
  func streaming() async throws {
    let service = try await service()
    let options = try endless()
    let (ended, end) = AsyncStream<GenerationResult>.makeStream()
    func pieces() -> AsyncThrowingStream<String, any Error> {
      service.streaming { model, send in end.yield(try await model.complete("Once", options, onText: send)) }
    }
    for try await piece in pieces() {
      #expect(!piece.isEmpty)
      break
    }
    #expect(await ended.first { _ in true }?.finishReason == .cancelled)
    await #expect(throws: LanguageModelError.emptyPrompt) {
      let refused: AsyncThrowingStream<String, any Error> = service.streaming { model, send in
        _ = try await LanguageModelSession(model: model).respond(
          to: "one", options: .greedy(maximumTokens: 1), onText: send)
        throw LanguageModelError.emptyPrompt
      }
      for try await _ in refused {}
    }
  }

  @Test("a program whose model cannot be loaded does not start")
  func broken() async throws {
    let service = try await service(path: #filePath)
    await #expect(throws: ModelError.self) { try await service.run() }
    #expect(await service.availability == .unavailable(.shuttingDown))
  }

  @Test("a program that ends without grace leaves nothing loaded")
  func killed() async throws {
    let service = try await service()
    let task = Task { try await service.run() }
    await wait(for: .loaded, of: service)
    task.cancel()
    try await task.value
    #expect(await service.runtime.loadedModels().isEmpty)
  }

  @Test("in a group of services it starts and ends with the others")
  func group() async throws {
    let service = try await service()
    let group = ServiceGroup(
      services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    async let running: Void = group.run()
    await wait(for: .loaded, of: service)
    await group.triggerGracefulShutdown()
    try await running
    #expect(await service.model.state == .notLoaded)
  }
}
