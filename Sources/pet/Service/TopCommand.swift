// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import PetAPI
import PetCommandLine
import PetEngine

struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show how a running petd fares.",
    discussion: """
      On a terminal the figures are renewed each second until Ctrl-C; else they are printed once. The same are on petd's \
      page /dashboard.

      EXAMPLES
        pet top
        pet top --json
      """)

  @Option(help: ArgumentHelp("The socket of petd; without it, PET_HOME/petd.sock.", valueName: "path"))
  var socket: String?

  @Flag(help: "Print once, and stop.")
  var once = false

  @Flag(help: "Print once, as JSON.")
  var json = false

  func validate() throws { try ServiceOptions.check(socket) }

  func run() async throws {
    let client = ServiceClient(try ServiceOptions.service(at: socket, ProcessEnvironment.current))
    try await client.greet()
    if json {
      try JSONOutput.write(try await figures(client))
      return
    }
    guard isatty(STDOUT_FILENO) == 1, !once else {
      Output.standard.write(TopView.text(try await figures(client)))
      return
    }
    // From the top left down, so that nothing flickers.
    Output.standard.write("\u{1B}[2J")
    while true {
      let text = TopView.text(try await figures(client))
      let lines = text.replacing("\n", with: "\u{1B}[K\n")
      Output.standard.write("\u{1B}[H\(lines)\u{1B}[J")
      try await Task.sleep(for: .seconds(1))
    }
  }

  private func figures(_ client: ServiceClient) async throws -> Figures { try await client.value(.GET, "/pet/figures") }
}

extension ServiceClient.Failure: UserFacingError {
  package var exitStatus: ExitStatus {
    switch self {
    case .refused(let status, _, _) where status == 500: .internal
    case .noService, .notAllowed, .stranger, .exposed, .silent, .brokerLost, .noRoom, .refused, .broken: .refused
    }
  }
}
