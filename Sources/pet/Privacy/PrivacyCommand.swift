// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetAPI
import PetCommandLine
import PetEngine

struct PrivacyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "privacy",
    abstract: "Try what pet chat and petd must not be able to do, and show what the kernel did.",
    discussion: """
      Each attempt is made by two processes of its own: one as any program is, and one that was sealed as pet chat and petd seal \
      themselves. Nothing is sent to anybody: sockets that can be opened are connected with this machine at most.

      Enforced: the kernel refuses. Observed: it cannot, and sockets are looked after. Failed: something reached another \
      machine, or nobody knows. Where petd runs, its state is shown too.

      EXAMPLES
        pet privacy
        pet privacy --json
        pet privacy --require-sealed
      """)

  @Option(help: ArgumentHelp("The socket of petd; without it, PET_HOME/petd.sock.", valueName: "path"))
  var socket: String?

  @Flag(help: "Exit with status 3 where the kernel cannot keep these programs from the network.")
  var requireSealed = false

  @Flag(help: "Print one object.")
  var json = false

  func validate() throws { try ServiceOptions.check(socket) }

  func run() async throws {
    let environment = ProcessEnvironment.current
    let folder = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    let report = PrivacyProofReport(
      try SandboxProof.make(in: folder), outlook: PrivacyOutlook.read(), service: try await service(environment))
    if json { try JSONOutput.write(report) } else { Output.standard.write(report.text) }
    if report.proof.isBroken { throw ExitCode(ExitStatus.internal.rawValue) }
    if requireSealed, report.outlook.state != .enforced {
      throw SandboxError(reason: report.outlook.reason ?? "not known why")
    }
  }

  /// Of petd, where it answers.
  /// - Throws: `ServiceClient.Failure` where it listens and does not answer, where its socket was named, or where another user answers, or could.
  private func service(_ environment: [String: String]) async throws -> PrivacyForm? {
    if let socket {
      let client = ServiceClient(try ServiceOptions.service(at: socket, environment))
      try await client.greet()
      return try await client.value(.GET, "/pet/privacy")
    }
    guard let usual = try? ServiceOptions.service(at: nil, environment) else { return nil }
    let client = ServiceClient(usual)
    guard client.isThere else { return nil }
    do {
      try await client.greet()
    } catch let failure as ServiceClient.Failure {
      switch failure {
      case .silent, .brokerLost, .noRoom, .stranger, .exposed: throw failure
      case .noService, .notAllowed, .refused, .broken: return nil
      }
    }
    return try? await client.value(.GET, "/pet/privacy")
  }
}
