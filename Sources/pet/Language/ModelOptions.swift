import ArgumentParser
import PetEngine

/// The options by which every command that runs a model names it.
struct ModelOptions: ParsableArguments {
  @Option(help: "A name from `pet models list`, or the path of a GGUF file; without it, the default model.")
  var model: String?

  @Option(help: "Threads that compute; without it, one per processor that this process may use.")
  var threads: Int?

  @Option(help: "How keys and values are kept: f32, f16, q8_0; without it, f16, and q8_0 in the profile watch.")
  var kvCache: KVCache.Precision?

  @Option(help: ArgumentHelp("Kernels to use: \(Self.kernelNames).", visibility: .hidden))
  var kernels: String?

  private static let kernelNames = KernelVariant.allCases.map(\.rawValue).joined(separator: ", ")

  func validate() throws {
    if let threads, !(1...256).contains(threads) {
      throw ValidationError("--threads is \(threads); give a number from 1 to 256")
    }
    if let kernels, KernelVariant(rawValue: kernels) == nil {
      throw ValidationError("--kernels is \(kernels); give one of \(Self.kernelNames)")
    }
  }

  /// The model's file. Says on standard error when another than the default takes its place.
  func file(_ profile: Profile = .phone) throws -> GGUFFile {
    let selection = try ModelStore.current().select(model, for: profile)
    if let reason = selection.standsIn {
      Output.error.writeLine("pet: \(selection.location) answers; \(reason)")
    }
    return try GGUFFile(selection.location)
  }

  /// What a person asked for, or what the profile and the machine allow.
  func threadCount(_ profile: Profile = .phone) -> Int {
    threads ?? profile.threadCount()
  }

  /// What a person asked for, or the profile's.
  func cachePrecision(_ profile: Profile = .phone) -> KVCache.Precision {
    kvCache ?? (profile == .watch ? .q8_0 : .f16)
  }

  var variant: KernelVariant? { kernels.flatMap(KernelVariant.init(rawValue:)) }

  func load(_ profile: Profile = .phone) throws -> LanguageModel {
    try LanguageModel(
      file(profile),
      .init(
        threadCount: threadCount(profile), contextLength: profile.contextLength,
        weightLayout: profile.weightLayout, cachePrecision: cachePrecision(profile), kernelVariant: variant))
  }
}

extension KVCache.Precision: ExpressibleByArgument {}

extension Profile {
  var weightLayout: TransformerWeights.Layout { copiesWeights ? .interleaved : .asInFile }
}

/// The options of sampling.
struct SamplingArguments: ParsableArguments {
  @Option(help: "Seed of the random choices; the same seed gives the same reply. Without it, a new one every time.")
  var seed: UInt64?

  @Option(help: "How freely words are chosen: 0 always takes the likeliest, 1 follows the model, above 1 is wild.")
  var temperature: Float?

  @Option(help: "Choose among the k likeliest tokens only; 0: all.")
  var topK: Int = 40

  @Option(help: "Choose among the likeliest tokens that together have this probability.")
  var topP: Float = 0.95

  @Option(help: "Choose among tokens at least this much as likely as the likeliest.")
  var minP: Float = 0.05

  @Option(help: "Above 1, tokens of the last 64 become less likely.")
  var repetitionPenalty: Float?

  /// - Parameters: what holds where a person gave nothing.
  func options(temperature standard: Float, repetitionPenalty penalty: Float = 1) throws -> Sampler.Options {
    do {
      return try Sampler.Options(
        temperature: temperature ?? standard, topK: topK, topP: topP, minP: minP,
        repetitionPenalty: repetitionPenalty ?? penalty,
        seed: seed ?? UInt64.random(in: .min ... .max))
    } catch {
      throw ValidationError("\(error)")
    }
  }
}
