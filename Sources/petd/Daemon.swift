// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Glibc
import Logging
import PetAPI
import PetCommandLine
import PetEngine
import PetRuntime
import PetService
import UnixSignals

/// The daemon from its start to its end.
struct Daemon {
  /// For replies to end when the service does.
  private static let drainLimit = Duration.seconds(10)
  /// Time to tell whoever waits for a reply that is broken off.
  private static let tellingLimit = Duration.seconds(1)

  private let options: ModelOptions
  private let models: ServedModels
  private let household: Household
  private let server: HTTPServer
  private let memory = RestingMemory()
  private let savesMemory: Bool
  private let addresses: [ListeningAddress]
  private let manager = Petd.manager
  private let confinement: ConfinementOptions
  private let responder: PerformanceResponder
  private let notices: ServiceNotices
  /// Which model takes the place of the default.
  private let standIn: String?
  private let logger: Logger

  init(_ command: Petd, _ metrics: MetricsRegistry, _ logger: Logger) async throws {
    self.logger = logger
    options = command.model
    confinement = command.confinement
    let folders = try PetFolders(environment: ProcessEnvironment.current)
    // Before the file is read: what changes it from here on is told.
    notices = ServiceNotices(settings: command.model.settings.config ?? folders.data + "/config.toml", logger: logger)
    let configuration = try command.model.resolve()
    try command.model.check(configuration)
    let lazy = try await command.model.lazy(for: .service)
    let runtime = lazy.runtime
    standIn = lazy.notice
    let classifiers = try await runtime.addClassifiers(configuration, in: ModelStore.current())
    models = ServedModels(
      lazy.model, named: lazy.name, classifiers, in: runtime, store: try ModelStore.current(),
      started: Moment.current().seconds)
    let deviceRoot = command.model.deviceRoot
    responder = PerformanceResponder(
      runtime, device: { .read(root: deviceRoot) }, onDecision: { Self.tell($0, logger) })
    var addresses = manager.listeners.map { ListeningAddress.inherited($0) }
    if addresses.isEmpty || command.socket != nil {
      addresses.append(.unix(path: command.socket ?? "\(folders.data)/\(ServiceClient.socketName)"))
    }
    if let port = command.port { addresses.append(.loopback(port: port)) }
    self.addresses = addresses
    let tokens = command.mayListenOnTCP ? try TokenFile.tokens(at: folders.data + "/petd.token") : []
    var settings = Household.Settings()
    settings.lease = .seconds(command.lease)
    savesMemory = configuration.profile.value == .watch
    settings.pet.savesMemory = savesMemory
    settings.pet.region = CrisisResources.code(ofEnvironment: ProcessEnvironment.current)
    settings.pet.rungs = configuration.rungs.value
    settings.answers = AnswerKeeping(configuration)
    household = Household(folders.data + "/pets", models: models, settings)
    var parts = PetService.Parts(
      models: models, household: household,
      access: AccessPolicy(user: getuid(), tokens: tokens), metrics: metrics, responder: responder, logger: logger,
      install: { [models, options, notices] name in
        var options = options
        options.model = name
        try await models.install(try options.resolve(), kernelVariant: options.variant)
        notices.noteReload(failure: nil)
      })
    parts.decoder = Petd.decoder
    parts.rateLimit = command.rate > 0 ? RateLimit(perMinute: command.rate) : nil
    parts.deviceRoot = deviceRoot
    parts.notices = notices
    parts.profile = configuration.profile.value
    parts.safety = SafetyNet(configuration, ProcessEnvironment.current)
    let service = PetService(parts)
    server = HTTPServer(
      logger: logger, metrics: metrics, onRest: memory.rest, admit: { service.refusal(of: $0, over: $1) }
    ) { await service.answer($0) }
  }

  /// Each response, and why; to keep all as it is is no news.
  private static func tell(_ record: PerformanceResponder.Record, _ logger: Logger) {
    logger.log(
      level: record.decision.response == .keep ? .trace : .notice, "response",
      metadata: [
        "model": "\(record.model)", "response": "\(record.decision.response)", "reason": "\(record.decision.reason)",
      ])
  }

  /// Until a signal asks to stop, and what is under way has ended or was given up.
  /// - Throws: `ListeningError`.
  func run() async throws {
    let pressure = try? MemoryPressureMonitor()
    defer { pressure?.stop() }
    let following = pressure.map { pressure in
      Task { [runtime = models.runtime, responder, logger] in
        await withDiscardingTaskGroup { group in
          group.addTask { for await level in pressure.levels { await responder.note(level) } }
          await runtime.follow(pressure.levels) { level, actions in
            logger.warning("memory is short", metadata: ["level": "\(level)", "actions": "\(actions)"])
          }
        }
      }
    }
    let watchers = [
      Task { [responder] in await responder.run() },
      Task { [models, logger] in
        for await alert in models.runtime.performance.alerts {
          logger.warning(
            "performance",
            metadata: ["alert": "\(alert.message)", "severity": "\(alert.severity.map { "\($0)" } ?? "recovered")"])
        }
      },
      Task { [models, logger] in
        for await status in models.runtime.privacy.changes {
          logger.warning("privacy", metadata: ["state": "\(status.state)", "detail": "\(status.detail)"])
        }
      },
    ]
    defer {
      following?.cancel()
      for watcher in watchers { watcher.cancel() }
    }
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup, .sigusr1, .sigusr2)
    let serving = Task {
      try await server.run(addresses) { addresses in
        // What listens does so, and nothing was read yet.
        try confinement.seal(.coming)
        let privacy = models.runtime.privacy.getPrivacyStatus()
        logger.info("privacy", metadata: ["state": "\(privacy.state)", "detail": "\(privacy.detail)"])
        if let standIn { Output.error.tell("petd: \(standIn)") }
        logger.info("ready", metadata: ["addresses": "\(addresses.map(\.description).joined(separator: " "))"])
        manager.ready()
        memory.rest()
        // Where memory is bounded, what is read in passing drives out what is used.
        if savesMemory { MappedPages.readProgramSparsely() }
      }
    }
    let (others, queue) = AsyncStream.makeStream(of: UnixSignal.self)
    let minding = [
      Task {
        for await signal in signals {
          // Others may take as long as a reply does: to stop must not wait for them.
          if signal == .sigterm || signal == .sigint { stop(serving) } else { queue.yield(signal) }
        }
      },
      Task { for await signal in others { await mind(signal) } },
    ]
    let watching = manager.watchdogInterval.map { interval in
      Task {
        while !Task.isCancelled {
          try await Task.sleep(for: interval)
          // The actor that all requests pass answers: it is not stuck.
          _ = await models.language.isLoaded
          manager.alive()
        }
      }
    }
    defer {
      for task in minding { task.cancel() }
      watching?.cancel()
    }
    try await serving.value
    // What is answered is kept before the process ends.
    await household.settle()
    await models.language.unload()
    logger.info("stopped")
  }

  private func stop(_ serving: Task<Void, any Error>) {
    logger.info("stopping")
    manager.stopping()
    server.drain()
    Task {
      try await Task.sleep(for: Self.drainLimit)
      models.writings.breakOff()
      await household.breakOff()
      try await Task.sleep(for: Self.tellingLimit)
      serving.cancel()
    }
  }

  private func mind(_ signal: UnixSignal) async {
    switch signal {
    case .sighup: await reload()
    case .sigusr1:
      logger.info("background")
      await household.giveBackUnused()
      await models.runtime.enterBackground()
    case .sigusr2:
      logger.info("active")
      await models.runtime.becomeActive()
    default: break
    }
  }

  /// A model that is refused leaves the old one serving.
  private func reload() async {
    manager.reloading()
    do {
      try await models.install(try options.resolve(), kernelVariant: options.variant)
      notices.noteReload(failure: nil)
      logger.info("reloaded", metadata: ["model": "\(models.name)"])
    } catch {
      notices.noteReload(failure: "\(error)")
      logger.error("not reloaded", metadata: ["reason": "\(error)", "model": "\(models.name)"])
    }
    manager.ready()
  }
}
