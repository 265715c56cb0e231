import PetCommandLine
import ArgumentParser
import PetEngine

struct ModelsFitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fit", abstract: "What memory a model would take, and whether this machine has it.",
    discussion: """
      Told from the file's header: nothing is loaded. Of a model that is not here, and of classifiers, the catalog's word is shown. Exit code 4 when a
      model that was asked for does not fit, 3 when it could not be loaded whatever the memory.

      EXAMPLES
        pet models fit                        every model
        pet models fit pet-135m --context 4096
        pet models fit ./own.gguf --profile watch
      """)

  @Argument(help: "A name from `pet models list`, or the path of a GGUF file; without it, every model.")
  var model: String?

  @OptionGroup var settings: SettingOptions

  @OptionGroup var confinement: ConfinementOptions

  @Option(help: "Tokens of the conversation; without it, as the settings have it.")
  var context: Int?

  @Option(help: "Threads that compute; without it, as the settings have it.")
  var threads: Int?

  @Flag(
    help:
      "Print a list of {\"name\", \"bytes\": {...}, \"total\", \"available\", \"fits\", \"estimated\", \"problem\"}.")
  var json = false

  func validate() throws { try SettingOptions.check(flags) }

  private var flags: [Configuration.Sources.Flag] {
    let context = context.map { Configuration.Sources.Flag(.context, "\($0)", name: "--context") }
    let threads = threads.map { Configuration.Sources.Flag(.threads, "\($0)", name: "--threads") }
    return [context, threads].compactMap { $0 }
  }

  struct Report: Encodable {
    let name: String
    /// nil where the file is not here, and for classifiers.
    @OrNull var bytes: MemoryEstimate?
    let total: UInt64
    let available: UInt64
    let fits: Bool
    /// From the file's header, or else the catalog's word.
    let estimated: Bool
    /// Why it could not be loaded, whatever the memory.
    @OrNull var problem: String?

    init(_ name: String, _ bytes: MemoryEstimate?, total: UInt64, available: UInt64, problem: String? = nil) {
      (self.name, self.total, self.available) = (name, total, available)
      self.bytes = bytes
      self.problem = problem
      fits = problem == nil && total <= available
      estimated = bytes != nil
    }
  }

  func run() throws {
    let store = try ModelStore.current()
    let configuration = try settings.configuration(flags)
    let available = MemoryRoom.read()?.available ?? .max
    let names = model.map { [$0] } ?? store.catalog.models.map(\.name)
    let reports = try names.map { try report($0, in: store, configuration, available) }
    if json {
      try JSONOutput.write(reports)
    } else if model == nil {
      Output.standard.writeLine(Self.table(reports))
    } else {
      for report in reports { Output.standard.write(FactLines.text(Self.facts(report))) }
    }
    if model != nil, let report = reports.first(where: { !$0.fits }) {
      throw DoesNotFit(name: report.name, needed: report.total, available: report.available)
    }
  }

  private func report(
    _ name: String, in store: ModelStore, _ configuration: Configuration, _ available: UInt64
  ) throws -> Report {
    if let model = store.catalog.model(named: name), model.kind != .language {
      return Report(name, nil, total: model.requirements.minimumMemory, available: available)
    }
    let location: ModelLocation
    do {
      location = try store.select(name, for: configuration.profile.value).location
    } catch {
      switch error {
      case .notPulled, .damaged: break
      default: throw error
      }
      let minimum = try store.model(named: name).requirements.minimumMemory
      return Report(name, nil, total: minimum, available: available)
    }
    do {
      let file = try GGUFFile(location)
      try ModelFiles.check(file)
      let estimate = try MemoryEstimate(file, .init(configuration))
      return Report(name, estimate, total: UInt64(estimate.total), available: available)
    } catch {
      // Of one among others it is told in its line.
      guard model == nil, let known = store.catalog.model(named: name) else { throw error }
      return Report(name, nil, total: known.requirements.minimumMemory, available: available, problem: "\(error)")
    }
  }

  private static func table(_ reports: [Report]) -> String {
    var table = TextTable(["NAME", "NEEDS", "FITS", ""])
    for report in reports {
      table.add([
        report.name, ByteCount.text(report.total), report.fits ? "yes" : "no",
        report.problem ?? (report.estimated ? "" : "by the catalog"),
      ])
    }
    return table.text
  }

  private static func facts(_ report: Report) -> [(label: String, value: String)] {
    var facts = [("model", report.name)]
    if let bytes = report.bytes {
      facts += [
        ("weights", bytes.weights), ("context", bytes.cache), ("scratch", bytes.scratch),
        ("tokenizer", bytes.tokenizer), ("program", bytes.program),
      ].map { ($0.0, ByteCount.text(UInt64($0.1))) }
    }
    facts += [
      ("in all", ByteCount.text(report.total) + (report.estimated ? "" : ", by the catalog")),
      ("available", ByteCount.text(report.available)),
      ("fits", report.fits ? "yes" : "no"),
    ]
    return facts
  }
}

/// A model that was asked about needs more memory than there is.
struct DoesNotFit: Error, CustomStringConvertible {
  let name: String
  let needed: UInt64
  let available: UInt64

  var description: String {
    "model '\(name)': needs \(ByteCount.text(needed)) of memory and \(ByteCount.text(available)) are available; close other "
      + "programs, or take a smaller model or --context"
  }
}

extension ModelsFitCommand: SealedCommand {
  func seal() throws -> CommandSeal {
    CommandSeal().reading(model: model).reading(settings.config).adding(try PetFolders.current().engineFiles)
  }
}
