import ArgumentParser
import PetCommandLine
import PetEngine
import PetService

/// Whether a command asks a running petd, or does the work itself.
struct ServiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The socket of petd; without it, PET_HOME/petd.sock where one answers.", valueName: "path"))
  var socket: String?

  @Flag(help: "Run the model in this process, also where petd runs.")
  var noService = false

  func validate() throws {
    guard socket == nil || !noService else { throw ValidationError("--socket or --no-service, not both") }
    try Self.check(socket)
  }

  /// Nil where this process does the work: no petd answers, or it has other settings than what is asked for.
  /// - Parameter isUsual: whether nothing is asked for that a petd was not started with.
  /// - Throws: `ServiceClient.Failure` where the socket that was named does not answer, or where another user does, or could.
  func client(_ environment: [String: String], isUsual: Bool) async throws -> ServiceClient? {
    guard isUsual, !noService, !Self.hasSettings(environment) else {
      guard socket == nil else {
        throw ValidationError("petd answers with its own settings: --socket goes with no others")
      }
      return nil
    }
    let client = ServiceClient(try Self.service(at: socket, environment))
    guard socket != nil || client.isThere else { return nil }
    do {
      try await client.greet()
      return client
    } catch ServiceClient.Failure.noService where socket == nil {
      return nil
    }
  }

  /// - Throws: `ValidationError` for an empty path.
  static func check(_ socket: String?) throws {
    if socket == "" { throw ValidationError("--socket is empty; give the path of petd's socket") }
  }

  /// Lets a process of its own connect for this one, which will be sealed. Before the first thread.
  /// - Throws: `LocalService.BrokerError`.
  func startBroker(_ environment: [String: String]) throws {
    // Whether petd will be asked is not known yet; to be sealed without it ends the broker.
    if !noService { try Self.service(at: socket, environment).startBroker() }
  }

  /// - Parameter socket: nil: the usual one.
  static func service(at socket: String?, _ environment: [String: String]) throws -> LocalService {
    if let socket { return LocalService(socket: socket, home: try? PetFolders(environment: environment).data) }
    let home = try PetFolders(environment: environment).data
    return LocalService(socket: home + "/petd.sock", home: home)
  }

  /// What the environment sets, a petd that was started in another does not know.
  private static func hasSettings(_ environment: [String: String]) -> Bool {
    SettingKey.allCases.contains { environment[$0.environmentName] != nil }
  }
}

extension LocalService.BrokerError: UserFacingError {}

extension ModelOptions {
  /// Whether nothing is asked for.
  var isUsual: Bool {
    model == nil && threads == nil && kvCache == nil && kernels == nil && deviceRoot == "/" && settings.isUsual
  }
}

extension SettingOptions {
  var isUsual: Bool { profile == nil && config == nil && settings.isEmpty }
}

extension SamplingArguments {
  /// Whether nothing is asked for.
  var isUsual: Bool {
    seed == nil && temperature == nil && repetitionPenalty == nil && topK == 40 && topP == 0.95 && minP == 0.05
  }
}
