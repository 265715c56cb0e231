// SPDX-License-Identifier: Apache-2.0
import PetInference

/// What a process that talks with a model takes in memory, in bytes, told from the file's header before anything is loaded.
///
/// With one full context; every further conversation takes `cache` more.
public struct MemoryEstimate: Sendable, Equatable, Encodable {
  public let weights: Int
  /// Keys and values of one full context.
  public let cache: Int
  public let scratch: Int
  /// The vocabulary and what is made of it.
  public let tokenizer: Int
  /// The process without a model.
  public let program: Int

  public var total: Int { model + program }
  /// What comes with the model.
  public var model: Int { weights + cache + scratch + tokenizer }

  /// A process that has loaded nothing: code, the runtime's libraries, their data. Measured (`pet bench --model pet-nano -p 504 -n 8
  /// --context 512`, the peak without what comes with the model): 23.8 MB linked statically, 29.1 MB otherwise; this is between.
  package static let programBytes = 26_500_000

  /// - Throws: `GGUFError` for a header that no model has.
  public init(_ file: GGUFFile, _ options: LanguageModel.LoadOptions) throws(GGUFError) {
    let transformer = TransformerMemory(
      try ModelConfiguration(file: file), tensors: file.tensors.values, layout: options.weightLayout,
      contextLength: options.contextLength, cachePrecision: options.cachePrecision, threadCount: options.threadCount,
      batchSize: options.batchSize)
    weights = transformer.weights
    cache = transformer.cache
    scratch = transformer.scratch
    tokenizer = try Self.tokenizer(file)
    program = Self.programBytes
  }

  /// The header stays mapped. Byte pairs have tables of numbers for tokens and merges; libsentencepiece has copies of the pieces
  /// and a trie (measured: 32,000 pieces take 6.5 MB).
  private static func tokenizer(_ file: GGUFFile) throws(GGUFError) -> Int {
    let header = file.tensors.values.map(\.bytes.lowerBound).min() ?? 0
    let tokens = try file.strings("tokenizer.ggml.tokens")?.count ?? 0
    let merges = try file.strings("tokenizer.ggml.merges")?.count ?? 0
    let perToken = try file.string("tokenizer.ggml.model") == "llama" ? 200 : 24
    return header + tokens * perToken + merges * 16
  }
}
