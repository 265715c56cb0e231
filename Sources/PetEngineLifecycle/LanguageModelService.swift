// SPDX-License-Identifier: Apache-2.0
import Logging
import PetEngine
import ServiceLifecycle

/// A language model as one of the services of a program, for a `ServiceGroup` of swift-service-lifecycle.
///
/// It loads the model when the program starts, minds memory pressure while it runs, and at a graceful shutdown takes nothing new, lets
/// the replies that are being written end, and unloads. Name it before the services that use it: a group shuts down in reverse.
///
/// ```swift
/// let service = try await LanguageModelService(configuration, in: store)
/// let group = ServiceGroup(services: [service, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
public struct LanguageModelService: Service {
  public struct Options: Sendable {
    /// Loads the model before anybody asks; the program does not start without it.
    public var loadsAtStart = true
    /// Unloads, steps down and clears caches when the system is short of memory.
    public var followsMemoryPressure = true
    /// Steps down when it is hot, power is short or replies are late, and up again when all was well for a while, also from what memory
    /// pressure asked for (``PerformanceResponder``).
    public var followsDevice = true
    /// Time that replies have to end at a graceful shutdown; then they are cancelled, and end at their next token.
    public var drainLimit = Duration.seconds(10)
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Told when the model comes and goes, and how the shutdown went.
    public var logger = Logger(label: "pet.service")

    public init() {}
  }

  public let model: LazyModel<LanguageModel>
  public let runtime: ModelRuntime
  private let options: Options
  private let door = ServiceDoor()

  /// - Parameter model: one of `runtime`'s.
  public init(_ model: LazyModel<LanguageModel>, in runtime: ModelRuntime, _ options: Options = Options()) {
    self.model = model
    self.runtime = runtime
    self.options = options
  }

  /// A runtime with the one model that a configuration means.
  /// - Throws: as ``ModelRuntime/addLanguageModel(_:in:kernelVariant:)``.
  public init(_ configuration: Configuration, in store: ModelStore, _ options: Options = Options()) async throws {
    let runtime = ModelRuntime(configuration)
    self.init(try await runtime.addLanguageModel(configuration, in: store).model, in: runtime, options)
  }

  /// Whether a request would be taken now.
  public var availability: ModelAvailability {
    get async { door.isOpen ? await model.availability : .unavailable(.shuttingDown) }
  }

  /// Runs `body` with the model, as ``LazyModel/use(isolation:_:)`` does; a graceful shutdown waits for it up to
  /// ``Options/drainLimit`` and then cancels it.
  /// - Throws: `ModelError.modelNotAvailable` once a shutdown has begun; as ``LazyModel/use(isolation:_:)``.
  public func use<Value: Sendable>(
    _ body: @escaping @Sendable (LanguageModel) async throws -> Value
  ) async throws -> Value {
    let task = door.admit { leave in
      Task { [model] in
        defer { leave() }
        return try await model.use { try await body($0) }
      }
    }
    guard let task else {
      throw ModelError.modelNotAvailable(
        model: model.name, reason: ModelAvailability.Reason.shuttingDown.description)
    }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// The same for what comes piece by piece; ending the stream early cancels it.
  /// - Parameter body: hands what it has to `send`.
  public func streaming<Element: Sendable>(
    _ body: @escaping @Sendable (LanguageModel, _ send: @escaping @Sendable (Element) -> Void) async throws -> Void
  ) -> AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          try await use { model in try await body(model) { continuation.yield($0) } }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { reason in
        if case .cancelled = reason { task.cancel() }
      }
    }
  }

  /// Runs until the program is to end.
  /// - Throws: `ModelError` where the model cannot be loaded at the start; `PipeError`, `ThreadError`.
  public func run() async throws {
    let monitor = options.followsMemoryPressure ? try MemoryPressureMonitor() : nil
    defer { monitor?.stop() }
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      let responder = options.followsDevice ? PerformanceResponder(runtime) : nil
      if let responder { group.addTask { await responder.run() } }
      if let monitor { group.addTask { await follow(monitor.levels, responder) } }
      group.addTask { [states = model.states] in await tell(states) }
      do {
        if options.loadsAtStart { try await cancelWhenGracefulShutdown { try await model.load() } }
        try await gracefulShutdown()
      } catch is CancellationError {
        // The program ends without grace, or before the model was there: the same steps, and no time for any of them.
      } catch {
        await shutDown()
        throw error
      }
      await shutDown()
    }
  }

  private func follow(_ levels: AsyncStream<MemoryPressureLevel>, _ responder: PerformanceResponder?) async {
    for await level in levels {
      await responder?.note(level)
      let actions = await runtime.respond(to: level)
      options.logger.info(
        "memory pressure", metadata: ["level": "\(level)", "actions": "\(actions.map { "\($0)" })"])
    }
  }

  private func tell(_ states: AsyncStream<LoadState>) async {
    for await state in states {
      var metadata: Logger.Metadata = ["model": "\(model.name)", "state": "\(state.name)"]
      switch state {
      case .loading(let progress) where progress > 0: continue
      case .failed(let reason):
        metadata["reason"] = "\(reason)"
        options.logger.error("model", metadata: metadata)
      case .notLoaded, .loading, .loaded, .unloading: options.logger.info("model", metadata: metadata)
      }
    }
  }

  private func shutDown() async {
    let left = await door.close(within: options.drainLimit, options.clock)
    await runtime.unloadAll()
    options.logger.info("model service ended", metadata: ["model": "\(model.name)", "replies_cancelled": "\(left)"])
  }
}
