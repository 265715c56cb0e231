// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetEngine

/// The options by which every command that runs a model names it.
package struct ModelOptions: ParsableArguments {
  @OptionGroup package var settings: SettingOptions

  @Option(help: "A name from `pet models list`, or the path of a GGUF file; without it, the default model.")
  package var model: String?

  @Option(help: "Threads that compute; without it, one per processor that this process may use.")
  package var threads: Int?

  @Option(help: "How keys and values are kept: f32, f16 or q8_0; without it, f16, and q8_0 in the profile watch.")
  package var kvCache: String?

  @Option(help: ArgumentHelp("Kernels to use, of those that this CPU has: \(Self.kernelNames)."))
  package var kernels: String?

  @Option(
    help: ArgumentHelp(
      "Below which the files are that tell of heat and power.", valueName: "folder", visibility: .hidden))
  package var deviceRoot = "/"

  package init() {}

  private static let kernelNames = KernelVariant.allCases.map(\.rawValue).joined(separator: ", ")

  package func validate() throws {
    try SettingOptions.check(flags)
    if let kernels, KernelVariant(rawValue: kernels) == nil {
      throw ValidationError("--kernels is \(kernels); give one of \(Self.kernelNames)")
    }
  }

  private var flags: [Configuration.Sources.Flag] {
    let model = model.map { Configuration.Sources.Flag(.model, $0, name: "--model") }
    let threads = threads.map { Configuration.Sources.Flag(.threads, "\($0)", name: "--threads") }
    let cache = kvCache.map { Configuration.Sources.Flag(.cachePrecision, $0, name: "--kv-cache") }
    return [model, threads, cache].compactMap { $0 }
  }

  package func resolve() throws -> Configuration { try settings.configuration(flags) }

  /// Where the model's bytes are. Says on standard error when another than the default takes its place.
  package func location(_ configuration: Configuration) throws -> ModelLocation {
    let store = try ModelStore.current()
    let selection = try store.select(configuration)
    if let notice = Self.notice(of: selection, in: store) { Output.error.tell("\(ProgramName.own): \(notice)") }
    try AddressSpace.check(for: .model, modelBytes: Self.mappedBytes(of: selection.location))
    return selection.location
  }

  /// Which model takes the place of the default, and why; nil where none does.
  private static func notice(of selection: ModelSelection, in store: ModelStore) -> String? {
    selection.standsIn.map { "\(store.identity(of: selection.location).name) answers; \($0)" }
  }

  /// A file that cannot be read is told of by who reads it.
  private static func mappedBytes(of location: ModelLocation) -> UInt64 {
    guard case .file = location else { return 0 }
    return (try? location.byteCount) ?? 0
  }

  package func file(_ configuration: Configuration) throws -> GGUFFile { try GGUFFile(location(configuration)) }

  package var variant: KernelVariant? { kernels.flatMap(KernelVariant.init(rawValue:)) }

  /// - Parameter draft: the name or path of a model that guesses ahead.
  package func load(draft: String? = nil) throws -> LanguageModel {
    let configuration = try resolve()
    var options = LanguageModel.LoadOptions(configuration, kernelVariant: variant)
    let location = try self.location(configuration)
    options.identity = try ModelStore.current().identity(of: location)
    options.draft = try draft.map { name in
      let settings = try settings.configuration([Configuration.Sources.Flag(.model, name, name: "--draft")])
      return try GGUFFile(ModelStore.current().select(settings).location)
    }
    return try LanguageModel(GGUFFile(location), options)
  }

  /// A model that is loaded when it is first used, with the runtime that keeps it within its memory.
  package struct Lazy: Sendable {
    package let runtime: ModelRuntime
    package let model: LazyModel<LanguageModel>
    /// What people call it.
    package let name: String
    /// Which model takes the place of the default, and why, for people to read; nil where none does.
    package let notice: String?
    /// Puts the default model in the place of one that stands in for it, if it has come meanwhile; its name, or nil: nothing changed.
    /// - Throws: as `ModelRuntime.renew`.
    package let renew: @Sendable () async throws -> String?
  }

  /// - Throws: what `resolve()` throws; `ModelStoreError`, ``AddressSpaceError``.
  package func lazy(for use: AddressSpace.Use) async throws -> Lazy {
    let configuration = try resolve()
    let runtime = ModelRuntime(
      budget: configuration.memoryBudget.value,
      performance: PerformanceMonitor(power: { [deviceRoot] in .read(root: deviceRoot) }))
    let store = try ModelStore.current()
    let (model, selection) = try await runtime.addLanguageModel(configuration, in: store, kernelVariant: variant)
    try AddressSpace.check(for: use, modelBytes: Self.mappedBytes(of: selection.location))
    return Lazy(
      runtime: runtime, model: model, name: store.identity(of: selection.location).name,
      notice: Self.notice(of: selection, in: store)
    ) { [variant] in
      let store = try ModelStore.current()
      return try await runtime.renew(model, chosen: selection, configuration, in: store, kernelVariant: variant)
        .map { store.identity(of: $0.location).name }
    }
  }

  /// Refuses what no message could make good: kernels that this CPU lacks, a file that loading would refuse by its header.
  /// - Throws: `InferenceError.kernelsUnavailable`; `ModelStoreError`; what `ModelFiles.check(_:)` throws.
  package func check(_ configuration: Configuration) throws {
    if let variant, !variant.isAvailable { throw InferenceError.kernelsUnavailable(variant.rawValue) }
    guard let path = configuration.model.value, ModelStore.isPath(path) else { return }
    try ModelFiles.check(GGUFFile(ModelStore.current().select(configuration).location))
  }
}

/// The options of sampling.
package struct SamplingArguments: ParsableArguments {
  @Option(help: "Seed of the random choices; the same seed gives the same reply. Without it, a new one every time.")
  package var seed: UInt64?

  @Option(help: "How freely words are chosen: 0 takes the likeliest and repeats, 1 follows the model, above 1 is wild.")
  package var temperature: Float?

  @Option(help: "Choose among the k likeliest tokens only; 0: all.")
  package var topK: Int = 40

  @Option(help: "Choose among the likeliest tokens that together have this probability.")
  package var topP: Float = 0.95

  @Option(help: "Choose among tokens at least this much as likely as the likeliest.")
  package var minP: Float = 0.05

  @Option(help: "Above 1, tokens of the last 64 become less likely.")
  package var repetitionPenalty: Float?

  package init() {}

  /// The seed of tokens and of written answers that are equally good; 0 where the likeliest is asked for, so that it repeats.
  package var choice: UInt64 { seed ?? (temperature == 0 ? 0 : .random(in: .min ... .max)) }

  /// - Parameters: what holds where a person gave nothing.
  package func options(temperature standard: Float, repetitionPenalty penalty: Float = 1) throws -> Sampler.Options {
    do {
      return try Sampler.Options(
        temperature: temperature ?? standard, topK: topK, topP: topP, minP: minP,
        repetitionPenalty: repetitionPenalty ?? penalty,
        seed: choice)
    } catch {
      throw ValidationError("\(error)")
    }
  }
}
