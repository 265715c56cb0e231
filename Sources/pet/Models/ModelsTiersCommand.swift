// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct ModelsTiersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tiers",
    abstract: "The tiers of a model: which are here, and what they were measured to do; --make completes them.",
    discussion: """
      Without --make it only looks: nothing is fetched, made or measured, and of each tier that is not here it says which command \
      brings it. With --make, where the catalog has a file for a tier it is fetched, or made as the catalog says; where it has none, one is \
      quantized from the best. Each is then read a text: perplexity compares tiers of one vocabulary, bits per byte any. What was \
      measured is written down and shown by `pet models show`.

      EXAMPLES
        pet models tiers                      those of the default model
        pet models tiers tuned --make --medium Q5_K_M --low Q4_0
        pet models tiers tuned --make --text talk.txt --json
      """)

  @Argument(help: "A name from `pet models list`; without it, the default model.")
  var name: String?

  @Flag(help: "Fetch or make the tiers that are not here, and measure all.")
  var make = false

  @Option(help: "Type of the tier medium, where it is made here: a type or a mix, as in `pet models quantize`.")
  var medium: QuantizationTarget?

  @Option(help: "Type of the tier low, where it is made here.")
  var low: QuantizationTarget?

  @Option(help: "A text file to measure by; without it, one that is part of this program.")
  var text: String?

  @Option(help: "Tokens per chunk; without it, 512.")
  var ctx: Int?

  @OptionGroup var settings: SettingOptions

  @Flag(
    help:
      "Print a list of {\"tier\", \"name\", \"state\", \"bytes\", \"sha256\", \"measurement\", \"command\"}.")
  var json = false

  private struct Report: Encodable {
    let tier: ModelQuality
    let name: String
    let state: String
    /// Null for a file that is not there to be measured.
    @OrNull var bytes: UInt64?
    @OrNull var sha256: SHA256Hash?
    /// Null where none was made of this file.
    @OrNull var measurement: ModelMeasurement?
    /// What brings it here; null where it is.
    @OrNull var command: String?
  }

  private static let usualContext = 512

  func validate() throws {
    if let ctx, !(8...65_536).contains(ctx) {
      throw ValidationError("--ctx is \(ctx); give a number from 8 to 65536")
    }
    guard make || (medium == nil && low == nil && text == nil && ctx == nil) else {
      throw ValidationError("--medium, --low, --text and --ctx say how tiers are made and measured: give --make too")
    }
  }

  func run() async throws {
    let configuration = try settings.configuration()
    let text = try text.map { try InputFile.bytes($0) } ?? ModelFiles.measuringText
    let named = try ModelStore.current().model(named: name, for: configuration.profile.value)
    if make { try await makeMissing(of: named.family) }
    let store = try ModelStore.current()
    let best = try store.model(named: named.family)
    let tiers = store.catalog.tiers(of: best)
    var reports: [Report] = []
    for quality in ModelQuality.allCases {
      guard let tier = tiers[quality] else {
        if best.kind == .language, quality < best.quality { reports.append(Self.missing(quality, of: best)) }
        continue
      }
      let measurement: ModelMeasurement? =
        try await make ? measure(tier, text, configuration, in: store) : tier.measurement
      reports.append(Self.report(quality, tier, measurement, of: best, in: store))
    }
    if json { return try JSONOutput.write(reports) }
    Output.standard.writeLine(Self.table(reports))
  }

  private static func report(
    _ quality: ModelQuality, _ tier: CatalogModel, _ measurement: ModelMeasurement?, of best: CatalogModel,
    in store: ModelStore
  ) -> Report {
    let state = store.state(of: tier)
    let command: String? =
      switch (state, tier.source) {
      case (.present, _): nil
      case (_, .made): "pet models tiers \(best.family) --make"
      case (_, .separate): tier.installCommand
      case (.absent, _): "pet models pull \(tier.name)"
      case (.damaged, _): "pet models repair \(tier.name)"
      }
    return Report(
      tier: quality, name: tier.name, state: state.name, bytes: tier.file.bytes, sha256: tier.file.sha256,
      measurement: measurement, command: command)
  }

  /// A tier that would be quantized here.
  private static func missing(_ quality: ModelQuality, of best: CatalogModel) -> Report {
    Report(
      tier: quality, name: "\(best.family)-\(quality.rawValue)", state: ModelState.absent.name, bytes: nil, sha256: nil,
      measurement: nil, command: "pet models tiers \(best.family) --make")
  }

  private static func table(_ reports: [Report]) -> String {
    var table = TextTable(["TIER", "NAME", "STATE", "SIZE", "PERPLEXITY", "BITS PER BYTE", ""])
    for report in reports {
      let size = report.bytes.map { (report.sha256 == nil ? "~" : "") + ByteCount.text($0) }
      table.add([
        report.tier.rawValue, report.name, report.state == ModelState.present.name ? "here" : report.state,
        size ?? "-", report.measurement.map { "\(Rounding.hundredths($0.perplexity))" } ?? "-",
        report.measurement.map { "\(Rounding.thousandths($0.bitsPerByte))" } ?? "-",
        report.command.map { "run: \($0)" } ?? "",
      ])
    }
    return table.text
  }

  /// Fetches or makes what is not here.
  private func makeMissing(of family: String) async throws {
    for (quality, chosen) in [(ModelQuality.high, nil), (.medium, medium), (.low, low)] {
      let store = try ModelStore.current()
      let best = try store.model(named: family)
      let existing = store.catalog.tiers(of: best)[quality]
      if let existing, case .made(let source) = existing.source {
        if let type = try chosen?.name ?? (isSound(existing, in: store) ? nil : source.type) {
          try await quantize(quality, of: best, as: type, in: store)
        }
      } else if let existing {
        if let chosen { throw TierError.taken(model: best.name, quality, by: "\(existing.name), not \(chosen.name)") }
        if try !isSound(existing, in: store) { try await fetch(existing, in: store) }
      } else if quality < best.quality {
        let type = chosen?.name ?? (quality == .medium ? "Q5_K_M" : "Q4_K_S")
        try await quantize(quality, of: best, as: type, in: store)
      }
    }
  }

  private func isSound(_ model: CatalogModel, in store: ModelStore) throws -> Bool {
    let bars = StageBars(model.name)
    defer { bars.finish() }
    return try store.verify(model) { bars.update("verifying", $0, model.file.bytes) } == .present
  }

  private func fetch(_ model: CatalogModel, in store: ModelStore) async throws {
    let progress = PullProgress(model: model)
    _ = try await onOwnThread {
      defer { progress.finish() }
      return try ModelFetcher.current(store).fetch(model) { progress.show($0) }
    }
  }

  private func quantize(
    _ quality: ModelQuality, of model: CatalogModel, as type: String, in store: ModelStore
  ) async throws {
    let bars = StageBars(model.name)
    try await onOwnThread {
      defer { bars.finish() }
      try TierMaker(store: store, quantize: ModelFiles.quantize).make(quality, of: model, as: type) { event in
        switch event {
        case .waiting: Output.error.tell("another pet changes the models; waiting for it")
        case .verifying(let done, let total): bars.update("verifying", done, total)
        case .making(let done, let total): bars.update("making \(type) of", done, total)
        }
      }
    }
  }

  private func measure(
    _ tier: CatalogModel, _ text: [UInt8], _ configuration: Configuration, in store: ModelStore
  ) async throws -> ModelMeasurement {
    let model = try LanguageModel(GGUFFile(store.location(of: tier)), .init(configuration))
    let bars = StageBars(tier.name)
    defer { bars.finish() }
    let context = ctx ?? Self.usualContext
    let found = try await model.perplexity(of: text, contextLength: context) {
      bars.update("measuring", UInt64($0), UInt64($1), unit: .tokens)
    }
    guard let sha256 = tier.file.sha256 else { throw tier.absence }
    let measurement = ModelMeasurement(
      sha256: sha256, perplexity: found.perplexity, bitsPerByte: found.bitsPerByte, context: context,
      textSHA256: SHA256Hash(of: text))
    try await onOwnThread {
      try TierMaker(store: store, quantize: ModelFiles.quantize).record(measurement, of: tier) {
        Output.error.tell("another pet changes the models; waiting for it")
      }
    }
    return measurement
  }

  static func text(_ measurement: ModelMeasurement) -> String {
    "perplexity \(Rounding.hundredths(measurement.perplexity)), \(Rounding.thousandths(measurement.bitsPerByte)) bits per "
      + "byte, \(measurement.context) tokens at once"
  }
}
