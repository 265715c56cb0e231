// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import FoundationEssentials
import PetEngine
import PetFiles
import Synchronization

/// For comparisons with other engines (Tests/References).
struct LogitsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logits", abstract: "Write the logits after every token of a list.",
    discussion: "The output is [tokens][vocabulary] little-endian 32-bit floats.", shouldDisplay: false)

  @OptionGroup var model: ModelOptions
  @OptionGroup var confinement: ConfinementOptions

  @Option(help: "A JSON array of token ids.")
  var tokens: String

  @Option(help: "The file to write.")
  var output: String

  func run() async throws {
    guard let ids = try? JSONDecoder().decode([Int32].self, from: Data(InputFile.bytes(tokens))) else {
      throw InputError.notTokens(path: tokens)
    }
    let model = try model.load()
    let data = Mutex(Data(capacity: 4 * ids.count * model.configuration.vocabularySize))
    try await model.eachLogits(ids) { _, logits in
      logits.withMemoryRebound(to: UInt8.self) { bytes in data.withLock { $0.append(bytes) } }
    }
    try data.withLock { data in try data.withUnsafeBytes { try OpenFile.replace(output, $0) } }
  }
}

extension LogitsCommand: SealedCommand {
  func seal() throws -> CommandSeal { try model.seal().reading(tokens).making(output) }
}
