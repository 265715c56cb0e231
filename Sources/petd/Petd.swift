// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CoreMetrics
import Dispatch
import Glibc
import Logging
import PetCommandLine
import PetEngine
import PetFiles
import PetRuntime
import PetService
import UnixSignals

@main
struct Petd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "petd",
    abstract: "The engine as a service of this machine, for its owner.",
    discussion: """
      Answers HTTP on a Unix socket that only you may use: in the form of OpenAI's API under /v1, pets and their conversations under \
      /pet, /health, /metrics (Prometheus), and /dashboard for a browser. The model is loaded with the first request and goes when \
      it is idle.

      EXAMPLES
        petd
        petd --profile watch
        petd --port 8080
        curl --unix-socket ~/.local/share/pet/petd.sock http://pet/health

      Over TCP, which is for this machine alone, clients bring a token that is in PET_HOME/petd.token, one on each line; `petd token` makes \
      one more, and `petd token --pet NAME` one that opens nothing but that pet.

      SIGNALS
        TERM  take nothing new, let replies end, and stop with exit code 0
        INT   the same (Ctrl-C)
        HUP   read the settings again, and serve the model that they mean
        USR1  give the memory of models back; the next request loads them
        USR2  load what USR1 let go
      """,
    version: "petd \(PetVersion.text)", subcommands: [TokenCommand.self])

  @OptionGroup var model: ModelOptions
  @OptionGroup var confinement: ConfinementOptions

  @Option(
    help: ArgumentHelp("The Unix socket, in a folder that is there; without it, PET_HOME/petd.sock.", valueName: "path")
  )
  var socket: String?

  @Option(help: ArgumentHelp("Listen on this port of 127.0.0.1 too; 0: any that is free.", valueName: "port"))
  var port: Int?

  @Option(
    help: ArgumentHelp(
      "Seconds that a pet is kept after it was last asked for; then another petd, or pet chat, can have it.",
      valueName: "seconds"))
  var lease: Int = 120

  @Option(
    help: ArgumentHelp("Requests a minute that each token, or user, may make; 0: any number.", valueName: "requests"))
  var rate: Int = 0

  @Option(help: "What is told on standard error: debug, info, warning or error.")
  var logLevel: Logger.Level = .info

  func validate() throws {
    if socket == "" { throw ValidationError("--socket is empty; give the path of a socket") }
    if let port, !(0...65_535).contains(port) { throw ValidationError("--port is \(port); give 0 to 65535") }
    guard (1...86_400).contains(lease) else { throw ValidationError("--lease is \(lease); give 1 to 86400 seconds") }
    guard (0...1_000_000).contains(rate) else { throw ValidationError("--rate is \(rate); give 0 to 1000000") }
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
    try await Daemon(self, metrics, Logger(label: "petd")).run()
  }

  static func main() {
    HeapMemory.staySmall()
    StandardDescriptors.settle(listeners: ServiceManager.listeners(environment: ProcessEnvironment.current))
    StandardDescriptors.keepSystemLogClosed()
    ProcessSignals.unblock()
    ProcessSignals.ignoreBrokenPipe()
    ProcessSignals.ignoreFileSizeLimit()
    var words: [String] = []
    do {
      try StackLimit.check()
      words = try CommandArguments.own()
      try CommandNames<Petd>.check(words)
      let command = try parseAsRoot(words)
      try ProcessEnvironment.check(for: command, serving: Petd.self)
      if command is any AsyncParsableCommand {
        try AddressSpace.check(for: .service)
        try DescriptorLimit.check(DescriptorLimit.server)
        try ThreadProbe.check()
      }
      try command.confineWhereAsked()
      // Confinement takes all handlers of crashes away.
      MappedFile.surviveLostPages()
      start(command)
    } catch {
      CommandExit<Petd>.finish(with: error, words: words)
    }
  }

  private static func start(_ command: sending any ParsableCommand) -> Never {
    RestingExecutor.install()
    Task {
      var command = command
      do {
        if var asynchronous = command as? any AsyncParsableCommand {
          try await asynchronous.run()
        } else {
          try command.run()
        }
        Glibc.exit(EXIT_SUCCESS)
      } catch {
        CommandExit<Petd>.finish(with: error)
      }
    }
    dispatchMain()
  }
}

extension Petd: ConfinedCommand {
  /// Connected while that is still possible.
  static let manager = ServiceManager(environment: ProcessEnvironment.current)
  /// Started while that is still possible.
  static let decoder = MediaDecoder.sealedForService()

  /// Inherited sockets may be of either kind.
  var mayListenOnTCP: Bool { port != nil || !Self.manager.listeners.isEmpty }

  /// Of PET_HOME all can be read, and what is the pets' be written: not settings, tokens, models, nor whose catalogs count.
  func confine() throws {
    _ = (Self.decoder, Self.manager)
    let folders = try PetFolders(environment: ProcessEnvironment.current)
    // What is not there cannot be given.
    try MissingHome.check(ProcessEnvironment.current)
    try Folder.create(folders.data, mode: 0o700)
    try FolderTrust.check(folders.data)
    let pets = folders.data + "/pets"
    // Where it cannot be made, whoever calls a pet is told.
    try? Folder.create(pets, mode: 0o700)
    if mayListenOnTCP { _ = try TokenFile.tokens(at: folders.data + "/petd.token") }
    var files = [FileAccess(folders.data, .read), FileAccess(pets, .own)] + (try model.files(folders))
    if let socket {
      files.append(FileAccess(try Self.folder(of: socket), .socket))
    } else if Self.manager.listeners.isEmpty {
      files.append(FileAccess(folders.data, .socket))
    }
    confinement.confine(to: files, peers: .coming)
  }

  /// Where a socket is to be: a folder that is there.
  private static func folder(of socket: String) throws -> String {
    guard let slash = socket.lastIndex(of: "/") else { return "." }
    guard slash > socket.startIndex else { return "/" }
    let folder = String(socket[..<slash])
    var status = stat()
    guard stat(folder, &status) == 0 else { throw FileError(path: folder, operation: "open", code: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw FileError(path: folder, operation: "open", code: ENOTDIR) }
    try FolderTrust.check(folder, allowsSticky: true)
    return folder
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

extension ListeningError: UserFacingError {
  package var exitStatus: ExitStatus { if case .bind(_, let code) = self { .ofFile(code) } else { .refused } }
}

extension TokenFile.Failure: UserFacingError {}
