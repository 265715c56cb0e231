// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetAPI
import PetCommandLine
import PetEngine

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

  /// Nil where this process does the work: no petd answers, or it has other settings than what is asked for, which is told.
  /// - Parameters:
  ///   - options: those that were given and that a petd was not started with.
  ///   - profile: that was given.
  /// - Throws: `ServiceClient.Failure` where the socket that was named does not answer, or where another user does, or could.
  func client(
    _ environment: [String: String], besides options: [String], profile: Profile?
  ) async throws -> ServiceClient? {
    guard !noService else { return nil }
    let profile = PetdProfile(profile, environment)
    let others = options + Self.settings(environment, besides: profile)
    guard others.isEmpty else {
      guard socket == nil else {
        throw ValidationError(
          "petd answers with its own settings: --socket goes with no others; leave out "
            + others.joined(separator: ", "))
      }
      if let usual = try? Self.service(at: nil, environment), usual.isListening {
        Output.error.tell("(petd runs, and is not asked because of \(others.joined(separator: ", ")))")
      }
      return nil
    }
    let client = ServiceClient(try Self.service(at: socket, environment))
    guard socket != nil || client.isThere else { return nil }
    do {
      try await client.greet()
    } catch ServiceClient.Failure.noService where socket == nil {
      return nil
    }
    guard let profile else { return client }
    let figures: Figures = try await client.value(.GET, "/pet/figures")
    let its = figures.device.profile
    guard its != profile.wanted.rawValue else { return client }
    let why = "it has the profile \(its), and \(profile.name) asks for \(profile.wanted.rawValue)"
    guard socket == nil else { throw ValidationError("this petd cannot answer: \(why)") }
    Output.error.tell("(petd runs, and is not asked: \(why))")
    return nil
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
    return LocalService(socket: "\(home)/\(ServiceClient.socketName)", home: home)
  }

  /// Settings of the environment that a petd which was started in another does not know. An empty variable is none.
  private static func settings(_ environment: [String: String], besides profile: PetdProfile?) -> [String] {
    SettingKey.allCases.map(\.environmentName).filter { name in
      // One that is refused is refused by this process.
      guard name != SettingKey.profile.environmentName || profile == nil else { return false }
      return environment[name].map { !$0.isEmpty } ?? false
    }
  }
}

/// A profile that was asked for, which a petd may have too.
private struct PetdProfile {
  let wanted: Profile
  /// "--profile", "PET_PROFILE"
  let name: String

  init?(_ option: Profile?, _ environment: [String: String]) {
    let variable = SettingKey.profile.environmentName
    if let option {
      (wanted, name) = (option, "--profile")
    } else if let profile = environment[variable].flatMap(Profile.init(rawValue:)) {
      (wanted, name) = (profile, variable)
    } else {
      return nil
    }
  }
}

extension LocalService.BrokerError: UserFacingError {
  package var exitStatus: ExitStatus { .ofStart(code) }
}

extension ModelOptions {
  /// The options that were given, but for the profile.
  var given: [String] {
    let own = [
      model.map { _ in "--model" }, threads.map { _ in "--threads" }, kvCache.map { _ in "--kv-cache" },
      kernels.map { _ in "--kernels" }, deviceRoot == "/" ? nil : "--device-root",
    ]
    return own.compactMap(\.self) + settings.given
  }
}

extension SettingOptions {
  /// The options that were given, but for the profile.
  var given: [String] { (config == nil ? [] : ["--config"]) + (settings.isEmpty ? [] : ["--set"]) }
}

extension SamplingArguments {
  /// The options that were given.
  var given: [String] {
    [
      seed.map { _ in "--seed" }, temperature.map { _ in "--temperature" },
      repetitionPenalty.map { _ in "--repetition-penalty" }, topK == 40 ? nil : "--top-k",
      topP == 0.95 ? nil : "--top-p", minP == 0.05 ? nil : "--min-p",
    ].compactMap(\.self)
  }
}
