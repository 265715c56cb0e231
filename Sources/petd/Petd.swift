import ArgumentParser
import CoreMetrics
import Glibc
import Logging
import PetCommandLine
import PetEngine
import PetService
import UnixSignals

@main
struct Petd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "petd",
    abstract: "The engine as a service of this machine, for its owner.",
    discussion: """
      Answers HTTP on a Unix socket that only you may use, in the form of OpenAI's API: /v1/chat/completions,
      /v1/completions, /v1/models; /health says whether it can, /metrics how it fares (Prometheus). The model is loaded with the first request and goes when it is idle.
      SIGTERM takes nothing new and lets replies end.

      EXAMPLES
        petd
        petd --profile watch
        petd --port 8080
        curl --unix-socket ~/.local/share/pet/petd.sock http://pet/health

      Over TCP, which is for this machine alone, clients bring the token that is in PET_HOME/petd.token.
      """,
    version: "petd \(PetVersion.current)")

  @OptionGroup var model: ModelOptions

  @Option(help: ArgumentHelp("The Unix socket; without it, PET_HOME/petd.sock.", valueName: "path"))
  var socket: String?

  @Option(help: ArgumentHelp("Listen on this port of 127.0.0.1 too; 0: any that is free.", valueName: "port"))
  var port: Int?

  @Option(help: "What is told on standard error: debug, info, warning or error.")
  var logLevel: Logger.Level = .info

  /// For replies to end when the service does.
  private static let drainLimit = Duration.seconds(10)

  func validate() throws {
    if let port, !(0...65_535).contains(port) { throw ValidationError("--port is \(port); give 0 to 65535") }
  }

  func run() async throws {
    let level = logLevel
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
    let metrics = MetricsRegistry()
    MetricsSystem.bootstrap(metrics)
    let logger = Logger(label: "petd")
    let folders = try PetFolders(environment: ProcessEnvironment.current)
    let (runtime, language, name) = try await model.lazy()
    var addresses = [ListeningAddress.unix(path: socket ?? folders.data + "/petd.sock")]
    var token: [UInt8] = []
    if let port {
      token = try TokenFile.token(at: folders.data + "/petd.token")
      addresses.append(.loopback(port: port))
    }
    let service = PetService(
      ServedModels(language, named: name, in: runtime, started: Moment.current().seconds),
      Household(folders.data + "/pets", model: language), access: AccessPolicy(user: getuid(), token: token),
      logger: logger, metrics: metrics)
    let server = HTTPServer(logger: logger) { await service.answer($0) }
    let pressure = try? MemoryPressureMonitor()
    defer { pressure?.stop() }
    let following = pressure.map { pressure in Task { await runtime.follow(pressure.levels) } }
    defer { following?.cancel() }
    try await serve(server, addresses, logger)
    await language.unload()
    logger.info("stopped")
  }

  /// Until a signal asks to stop, and what is under way has ended or was given up.
  private func serve(_ server: HTTPServer, _ addresses: [ListeningAddress], _ logger: Logger) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    let serving = Task {
      try await server.run(addresses) { addresses in
        logger.info("ready", metadata: ["addresses": "\(addresses.map(\.description).joined(separator: " "))"])
      }
    }
    let stopping = Task {
      for await _ in signals {
        logger.info("stopping")
        server.drain()
        try await Task.sleep(for: Self.drainLimit)
        serving.cancel()
      }
    }
    defer { stopping.cancel() }
    try await serving.value
  }

  static func main() async {
    StandardDescriptors.open()
    ProcessSignals.ignoreBrokenPipe()
    ProcessSignals.ignoreFileSizeLimit()
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      CommandExit<Petd>.finish(with: error)
    }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension ListeningError: UserFacingError {
  package var exitStatus: ExitStatus { .internal }
}

extension TokenFile.Failure: UserFacingError {}
