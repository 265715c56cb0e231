// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct ModelsFitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fit", abstract: "What memory a model would take, and whether `pet chat` and petd would load it.",
    discussion: """
      Told from the file's header: nothing is loaded. Of a model that is not here, and of classifiers, the catalog's word is shown. A \
      model fits where what it takes beside the program is within memory.budget (`pet doctor` shows it) and can be had from the \
      machine. Exit code 4 when a model that was asked for does not fit, 3 when it could not be loaded whatever the memory.

      EXAMPLES
        pet models fit                        every model
        pet models fit pet-135m --context 4096
        pet models fit ./own.gguf --profile watch
        pet models fit ./own.gguf --set memory.budget=2GB
      """)

  @Argument(help: "A name from `pet models list`, or the path of a GGUF file; without it, every model.")
  var model: String?

  @OptionGroup var settings: SettingOptions

  @OptionGroup var confinement: ConfinementOptions

  @Option(help: "Tokens of the conversation; without it, as the settings have it.")
  var context: Int?

  @Option(help: "Threads that compute; without it, as the settings have it.")
  var threads: Int?

  @Option(help: "How keys and values are kept: f32, f16 or q8_0; without it, as the settings have it.")
  var kvCache: String?

  @Flag(
    help:
      "Print a list of {\"name\", \"bytes\": {...}, \"total\", \"needed\", \"available\", \"budget\", \"fits\", \"estimated\", \"problem\"}."
  )
  var json = false

  func validate() throws { try SettingOptions.check(flags) }

  private var flags: [Configuration.Sources.Flag] {
    let context = context.map { Configuration.Sources.Flag(.context, "\($0)", name: "--context") }
    let threads = threads.map { Configuration.Sources.Flag(.threads, "\($0)", name: "--threads") }
    let cache = kvCache.map { Configuration.Sources.Flag(.cachePrecision, $0, name: "--kv-cache") }
    return [context, threads, cache].compactMap { $0 }
  }

  struct Report: Encodable {
    let name: String
    /// nil where the file is not here, and for classifiers.
    @OrNull var bytes: MemoryEstimate?
    /// With the program.
    let total: UInt64
    /// Without it: what is held against ``available``.
    let needed: UInt64
    /// Within the budget and the machine.
    let available: UInt64
    let budget: UInt64
    let fits: Bool
    /// From the file's header, or else the catalog's word.
    let estimated: Bool
    /// Why it could not be loaded, whatever the memory.
    @OrNull var problem: String?

    init(_ name: String, _ bytes: MemoryEstimate, in memory: MemoryBudget) {
      self.init(name, bytes, total: UInt64(bytes.total), needed: UInt64(bytes.model), memory, problem: nil)
    }

    /// By the catalog's word.
    init(_ name: String, _ word: ModelRequirements, in memory: MemoryBudget, problem: String? = nil) {
      let needed = word.minimumMemory
      self.init(name, nil, total: needed, needed: needed, memory, problem: problem)
    }

    private init(
      _ name: String, _ bytes: MemoryEstimate?, total: UInt64, needed: UInt64, _ memory: MemoryBudget, problem: String?
    ) {
      (self.name, self.total, self.needed) = (name, total, needed)
      (available, budget) = (memory.available, memory.budget)
      self.bytes = bytes
      self.problem = problem
      fits = problem == nil && memory.decide(needed: needed) == .load
      estimated = bytes != nil
    }
  }

  func run() throws {
    let store = try ModelStore.current()
    let configuration = try settings.configuration(flags)
    let memory = MemoryBudget(configuration)
    let names = model.map { [$0] } ?? store.catalog.models.map(\.name)
    let reports = try names.map { try report($0, in: store, configuration, memory) }
    if json {
      try JSONOutput.write(reports)
    } else if model == nil {
      Output.standard.writeLine(Self.table(reports))
      Output.standard.write(FactLines.text(Self.room(memory, configuration)))
    } else {
      for report in reports {
        Output.standard.write(FactLines.text(Self.facts(report, Self.room(memory, configuration))))
      }
    }
    if model != nil, let report = reports.first(where: { !$0.fits }) { throw DoesNotFit(report) }
  }

  private func report(
    _ name: String, in store: ModelStore, _ configuration: Configuration, _ memory: MemoryBudget
  ) throws -> Report {
    if let model = store.catalog.model(named: name), model.kind != .language {
      return Report(name, model.requirements, in: memory)
    }
    let location: ModelLocation
    do {
      location = try store.select(name, for: configuration.profile.value).location
    } catch {
      switch error {
      case .notPulled, .damaged: break
      default: throw error
      }
      return Report(name, try store.model(named: name).requirements, in: memory)
    }
    do {
      let file = try GGUFFile(location)
      try ModelFiles.check(file)
      return Report(name, try MemoryEstimate(file, .init(configuration)), in: memory)
    } catch {
      // Of one among others it is told in its line.
      guard model == nil, let known = store.catalog.model(named: name) else { throw error }
      return Report(name, known.requirements, in: memory, problem: "\(error)")
    }
  }

  /// What there is, and what bounds it.
  private static func room(
    _ memory: MemoryBudget, _ configuration: Configuration
  ) -> [(label: String, value: String)] {
    let budget = configuration.memoryBudget
    return [
      ("budget", "\(ByteCount.text(budget.value)), memory.budget (\(budget.origin))"),
      ("available", ByteCount.text(memory.available)),
    ]
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

  private static func facts(
    _ report: Report, _ room: [(label: String, value: String)]
  ) -> [(label: String, value: String)] {
    var facts = [("model", report.name)]
    if let bytes = report.bytes {
      facts += [
        ("weights", bytes.weights), ("context", bytes.cache), ("scratch", bytes.scratch),
        ("tokenizer", bytes.tokenizer), ("to load", bytes.model), ("program", bytes.program),
      ].map { ($0.0, ByteCount.text(UInt64($0.1))) }
    }
    facts.append(("in all", ByteCount.text(report.total) + (report.estimated ? "" : ", by the catalog")))
    return facts + room + [("fits", report.fits ? "yes" : "no")]
  }
}

/// A model that was asked about needs more memory than it may have, or than there is.
struct DoesNotFit: Error, CustomStringConvertible {
  let name: String
  let needed: UInt64
  let available: UInt64
  let budget: UInt64

  init(_ report: ModelsFitCommand.Report) {
    (name, needed) = (report.name, report.needed)
    (available, budget) = (report.available, report.budget)
  }

  var description: String {
    let needs = "model '\(name)': needs \(ByteCount.text(needed)) of memory and "
    guard needed <= budget else {
      return needs + "memory.budget is \(ByteCount.text(budget)); raise it, or take a smaller model or --context"
    }
    return needs
      + "\(ByteCount.text(available)) are available; close other programs, or take a smaller model or --context"
  }
}

extension ModelsFitCommand: SealedCommand {
  func seal() throws -> CommandSeal {
    CommandSeal().reading(model: model).reading(settings.config).adding(try PetFolders.current().engineFiles)
  }
}
