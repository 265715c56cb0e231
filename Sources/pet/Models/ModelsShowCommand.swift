import ArgumentParser
import PetRuntime

struct ModelsShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "All that is known of one model.")

  @Argument(help: "A name from `pet models list`; without it, the default model.")
  var name: String?

  @Flag(help: "Print one object.")
  var json = false

  func run() throws {
    let store = try ModelStore.current()
    let model = try store.model(named: name)
    let report = ModelReport(model, state: store.state(of: model), in: store)
    guard !json else {
      try JSONOutput.write(report)
      return
    }
    var lines = [
      ("name", report.name),
      ("", report.description),
      ("state", report.problem.map { "\(report.state): \($0)" } ?? report.state),
    ]
    if let path = report.path { lines.append(("file", path)) }
    lines += [
      ("size", "\(ByteCount.text(report.bytes)) (\(report.bytes) bytes)"),
      ("sha256", report.sha256),
      ("licence", report.licence),
      ("architecture", "\(report.architecture), \(report.parameters / 1_000_000) million parameters"),
      ("context", "\(report.context) tokens"),
      ("source", Self.text(model.source)),
    ]
    if !report.defaultFor.isEmpty { lines.append(("default for", report.defaultFor.joined(separator: ", "))) }
    if let card = model.card {
      lines += [("made of", card.data), ("trained", card.training), ("figures", card.figures), ("limits", card.limits)]
    }
    Output.standard.write(FactLines.text(lines))
  }

  private static func text(_ source: ModelSource) -> String {
    switch source {
    case .pypi(let source): "PyPI, \(source.package) \(source.version), \(source.member)"
    case .builtIn: "part of this program"
    case .adapted(let source): "\(source.base) with \(source.adapter), which is part of this program"
    }
  }
}
