// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct ModelsRepairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair", abstract: "Check models, and fetch anew those that are damaged or missing.",
    discussion: "What is sound stays as it is. Exit code 3 when a model could not be repaired; the others are.")

  @Argument(help: "Names from `pet models list`; without any, every model that is here, or half here.")
  var names: [String] = []

  @Flag(help: "Print a list of {\"name\", \"outcome\", \"path\", \"problem\"}.")
  var json = false

  private struct Report: Encodable {
    let name: String
    /// "sound", "repaired", "failed"
    let outcome: String
    let path: String
    @OrNull var problem: String?
  }

  func run() async throws {
    let store = try ModelStore.current()
    let models = try names.isEmpty ? store.begun : names.map { try store.model(named: $0) }
    let fetcher = ModelFetcher.current(store)
    var reports: [Report] = []
    var failure: (any Error)?
    for model in models {
      let progress = PullProgress(model: model)
      var outcome = "sound"
      var problem: String?
      do {
        let done = try await onOwnThread {
          defer { progress.finish() }
          return try fetcher.fetch(model) { progress.show($0) }
        }
        if done == .fetched { outcome = "repaired" }
      } catch {
        if let failure { Output.error.write(CommandExit<Pet>.report(for: failure).standardError) }
        (outcome, problem, failure) = ("failed", "\(error)", error)
      }
      if !json { Output.standard.writeLine("\(model.name): \(outcome)") }
      reports.append(
        Report(name: model.name, outcome: outcome, path: store.location(of: model).description, problem: problem))
    }
    if json { try JSONOutput.write(reports) }
    if !json, models.isEmpty { Output.standard.writeLine("no model is here; run: pet models pull") }
    if let failure { throw failure }
  }
}
