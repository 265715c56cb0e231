// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetRuntime

struct ModelsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The models that are known, and which of them are here.",
    discussion: """
      A model has up to three tiers, from high to low: the same in fewer bits, or a smaller one in its place. Sizes with ~ are not \
      known before the first fetch.
      """)

  @Flag(help: "Print {\"folder\": ..., \"models\": [...]}.")
  var json = false

  private struct Report: Encodable {
    let folder: String
    let models: [ModelReport]
  }

  func run() throws {
    let store = try ModelStore.current()
    if json {
      let models = store.catalog.models.map { ModelReport($0, state: store.state(of: $0), in: store) }
      try JSONOutput.write(Report(folder: store.folder, models: models))
      return
    }
    var table = TextTable(["NAME", "TIER", "STATE", "SIZE", "WHAT FOR"])
    for model in store.catalog.models {
      table.add([
        model.name, model.quality.rawValue, Self.state(of: model, in: store), Self.size(of: model),
        Self.purpose(of: model),
      ])
    }
    Output.standard.writeLine(table.text)
  }

  private static func state(of model: CatalogModel, in store: ModelStore) -> String {
    let state = store.state(of: model)
    if case .present = state, model.source == .builtIn { return "built in" }
    return state == .present ? "here" : state.name
  }

  private static func size(of model: CatalogModel) -> String {
    (model.file.sha256 == nil ? "~" : "") + ByteCount.text(model.requirements.size)
  }

  private static func purpose(of model: CatalogModel) -> String {
    let defaults = model.defaultFor.map(\.rawValue).joined(separator: ", ")
    var text = model.kind == .language ? model.description : "\(model.kind.rawValue): \(model.description)"
    if !defaults.isEmpty { text += " (default for \(defaults))" }
    if case .added(let catalog) = model.origin { text += " (\(catalog))" }
    return text
  }
}
