import ArgumentParser
import PetRuntime

struct ModelsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The models that are known, and which of them are here.")

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
    var table = TextTable(["NAME", "STATE", "SIZE", "LICENCE", "CONTEXT", ""])
    for model in store.catalog.models {
      table.add([
        model.name, store.state(of: model).name, ByteCount.text(model.file.bytes), model.licence, "\(model.context)",
        model.defaultFor.isEmpty ? "" : "default for \(model.defaultFor.map(\.rawValue).joined(separator: ", "))",
      ])
    }
    Output.standard.writeLine(table.text)
  }
}
