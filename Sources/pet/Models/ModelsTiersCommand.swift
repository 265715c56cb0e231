import PetCommandLine
import ArgumentParser
import PetEngine

struct ModelsTiersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tiers", abstract: "Make the smaller tiers of a model on this machine, and measure them all.",
    discussion: """
      Where the catalog has a file for a tier it is fetched, or made as the catalog says; where it has none, one is quantized from
      the best. Each is then read a text: perplexity compares tiers of one vocabulary, bits per byte any. What was
      measured is written down and shown by `pet models show`.

      EXAMPLES
        pet models tiers                      those of the default model
        pet models tiers tuned --medium Q5_K_M --low Q4_0
        pet models tiers tuned --text talk.txt --json
      """)

  @Argument(help: "A name from `pet models list`; without it, the default model.")
  var name: String?

  @Option(help: "Type of the tier medium, where it is made here: a type or a mix, as in `pet models quantize`.")
  var medium: QuantizationTarget?

  @Option(help: "Type of the tier low, where it is made here.")
  var low: QuantizationTarget?

  @Option(help: "A text file to measure by; without it, one that is part of this program.")
  var text: String?

  @Option(help: "Tokens per chunk.")
  var ctx: Int = 512

  @OptionGroup var settings: SettingOptions

  @Flag(help: "Print a list of {\"tier\", \"name\", \"bytes\", \"sha256\", \"measurement\"}.")
  var json = false

  private struct Report: Encodable {
    let tier: ModelQuality
    let name: String
    let bytes: UInt64
    @OrNull var sha256: SHA256Hash?
    let measurement: ModelMeasurement
  }

  func validate() throws {
    guard (8...65_536).contains(ctx) else { throw ValidationError("--ctx is \(ctx); give a number from 8 to 65536") }
  }

  func run() async throws {
    let configuration = try settings.configuration()
    let text = try text.map { try InputFile.bytes($0) } ?? ModelFiles.measuringText
    let named = try ModelStore.current().model(named: name, for: configuration.profile.value)
    try await makeMissing(of: named.family)
    var reports: [Report] = []
    let store = try ModelStore.current()
    let tiers = store.catalog.tiers(of: try store.model(named: named.family))
    for quality in ModelQuality.allCases {
      guard let tier = tiers[quality] else { continue }
      let measurement = try await measure(tier, text, configuration, in: store)
      reports.append(
        Report(
          tier: quality, name: tier.name, bytes: tier.file.bytes, sha256: tier.file.sha256, measurement: measurement))
    }
    if json { return try JSONOutput.write(reports) }
    var table = TextTable(["TIER", "NAME", "SIZE", "PERPLEXITY", "BITS PER BYTE"])
    for report in reports {
      table.add([
        report.tier.rawValue, report.name, ByteCount.text(report.bytes),
        "\(Rounding.hundredths(report.measurement.perplexity))",
        "\(Rounding.thousandths(report.measurement.bitsPerByte))",
      ])
    }
    Output.standard.writeLine(table.text)
  }

  /// Fetches or makes what is not here.
  private func makeMissing(of family: String) async throws {
    for (quality, chosen) in [(ModelQuality.high, nil), (.medium, medium), (.low, low)] {
      let store = try ModelStore.current()
      let best = try store.model(named: family)
      let existing = store.catalog.tiers(of: best)[quality]
      if let existing, case .made(let source) = existing.source {
        if let type = try chosen?.name ?? (isSound(existing, in: store) ? nil : source.type) {
          try await make(quality, of: best, as: type, in: store)
        }
      } else if let existing {
        if let chosen { throw TierError.taken(model: best.name, quality, by: "\(existing.name), not \(chosen.name)") }
        if try !isSound(existing, in: store) { try await fetch(existing, in: store) }
      } else if quality < best.quality {
        let type = chosen?.name ?? (quality == .medium ? "Q5_K_M" : "Q4_K_S")
        try await make(quality, of: best, as: type, in: store)
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

  private func make(
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
    let found = try await model.perplexity(of: text, contextLength: ctx) {
      bars.update("measuring", UInt64($0), UInt64($1), unit: .tokens)
    }
    guard let sha256 = tier.file.sha256 else { throw ModelStoreError.notPulled(name: tier.name) }
    let measurement = ModelMeasurement(
      sha256: sha256, perplexity: found.perplexity, bitsPerByte: found.bitsPerByte, context: ctx,
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
