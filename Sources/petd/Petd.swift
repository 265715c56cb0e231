import ArgumentParser
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
      /v1/completions, /v1/models; /health says whether it can. The model is loaded with the first request and goes when it is idle.
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
    let logger = Logger(label: "petd")
    let folders = try PetFolders(environment: ProcessEnvironment.current)
    let (runtime, language) = try await model.lazy()
    var addresses = [ListeningAddress.unix(path: socket ?? folders.data + "/petd.sock")]
    var token: [UInt8] = []
    if let port {
      token = try TokenFile.token(at: folders.data + "/petd.token")
      addresses.append(.loopback(port: port))
    }
    let service = PetService(
      ServedModels(language, in: runtime, started: Moment.current().seconds),
      access: AccessPolicy(user: getuid(), token: token), logger: logger)
    let server = HTTPServer(logger: logger) { await service.answer($0) }
    let pressure = try? MemoryPressureMonitor()
    defer { pressure?.stop() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      if let pressure { group.addTask { await runtime.follow(pressure.levels) } }
      let serving = Task {
        try await server.run(addresses) { addresses in
          logger.info("ready", metadata: ["addresses": "\(addresses.map(\.description).joined(separator: " "))"])
        }
      }
      group.addTask {
        for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
          logger.info("stopping")
          server.drain()
          try await Task.sleep(for: Self.drainLimit)
          serving.cancel()
        }
      }
      try await withTaskCancellationHandler {
        try await serving.value
      } onCancel: {
        serving.cancel()
      }
    }
    await language.unload()
    logger.info("stopped")
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
