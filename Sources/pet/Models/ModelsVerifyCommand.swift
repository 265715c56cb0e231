// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetRuntime

struct ModelsVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Read models whole and compare their SHA-256.",
    discussion: "Exit code 3 when a model that was asked for is damaged or absent.")

  @Argument(help: "Names from `pet models list`; without any, every model that is here.")
  var names: [String] = []

  @Flag(help: "Print a list of {\"name\", \"state\", \"path\", \"problem\"}.")
  var json = false

  private struct Report: Encodable {
    let name: String
    let state: String
    let path: String
    @OrNull var problem: String?
  }

  func run() throws {
    let store = try ModelStore.current()
    let models =
      try names.isEmpty
      ? store.catalog.models.filter { store.state(of: $0) != .absent } : names.map { try store.model(named: $0) }
    var reports: [Report] = []
    var failure: ModelStoreError?
    for model in models {
      let state = try verify(model, in: store)
      var problem: String?
      if state != .present, let failure { Output.error.write(CommandExit<Pet>.report(for: failure).standardError) }
      switch state {
      case .present: break
      case .absent: failure = model.absence
      case .damaged(let error):
        problem = error.description
        failure = .damaged(name: model.name, error)
      }
      reports.append(
        Report(name: model.name, state: state.name, path: store.location(of: model).description, problem: problem))
      if !json { Output.standard.writeLine("\(model.name): \(state == .present ? "sound" : state.name)") }
    }
    if json { try JSONOutput.write(reports) }
    if !json, models.isEmpty { Output.standard.writeLine("no model is here; run: pet models pull") }
    if let failure { throw failure }
  }

  private func verify(_ model: CatalogModel, in store: ModelStore) throws -> ModelState {
    let bar = ProgressBar("verifying \(model.name)", total: model.requirements.size)
    defer { bar.finish() }
    return try store.verify(model) { bar.update($0) }
  }
}
