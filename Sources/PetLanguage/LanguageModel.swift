// SPDX-License-Identifier: Apache-2.0
import Logging
import PetGrammar
import PetInference
import PetTokenizer
import Synchronization

/// A loaded language model: weights, tokenizer and chat template. Immutable; many sessions share one.
public final class LanguageModel: Sendable {
  public struct LoadOptions: Sendable {
    /// Threads that share the matrix products.
    public var threadCount: Int
    /// Tokens of a conversation's context; at most what the model was trained for.
    public var contextLength: Int
    /// What a row-major file is run from: itself, mapped, or interleaved copies. An interleaved file is run from itself.
    public var weightLayout: WeightLayout
    /// How the keys and values of a conversation are kept.
    public var cachePrecision: KVCache.Precision
    /// The kernels to use; nil: the fastest that this CPU runs.
    public var kernelVariant: KernelVariant?
    /// Bytes that keys and values of all conversations may have before those go that none uses and that are only kept in case that
    /// a prompt begins like an earlier one. Nil: one full context's, or half of it where memory is saved.
    public var cacheBytes: Int?
    /// Prompts are read in smaller pieces, and less is kept of earlier ones.
    public var savesMemory = false
    /// A smaller model of the same vocabulary that guesses ahead, where that is quicker.
    public var draft: GGUFFile?
    /// Replies that are written at once; each takes a context of keys and values.
    public var concurrentReplies = 16
    /// Requests that wait beyond them; one more is refused.
    public var waitingRequests = 256
    /// Told of every request when it ends, at the level debug: numbers and how it ended, never what was said.
    public var logger = Logger(label: "pet")
    /// Told of every request when it begins and when it ends; nil: nobody is.
    package var observer: RequestObserver?
    /// What it is known by; nil: its file's name.
    public var identity: ModelIdentity?

    /// Tokens of a prompt that go through the layers together.
    var batchSize: Int { savesMemory ? 32 : 128 }

    public init(
      threadCount: Int, contextLength: Int = 2048, weightLayout: WeightLayout = .interleaved,
      cachePrecision: KVCache.Precision = .f16, kernelVariant: KernelVariant? = nil
    ) {
      self.threadCount = threadCount
      self.weightLayout = weightLayout
      self.cachePrecision = cachePrecision
      self.contextLength = contextLength
      self.kernelVariant = kernelVariant
    }
  }

  public let path: String
  /// Nil where whoever loaded it named none.
  package let knownAs: ModelIdentity?
  /// What it is known by.
  public var identity: ModelIdentity { knownAs ?? ModelIdentity(name: name) }
  public let configuration: ModelConfiguration
  public let tokenizer: any Tokenizer
  /// How a conversation is written for this model, or why that is not known.
  package let template: Result<ChatTemplate, LanguageModelError>
  public let contextLength: Int
  public let cachePrecision: KVCache.Precision
  /// Bytes of all weights.
  public let weightBytes: Int
  public var threadCount: Int { worker.threadCount }
  package var kernelName: String { worker.kernelName }

  /// Numbers under keys of nobody's standard: what the makers of a model tell their own programs.
  package let ownNumbers: [String: Int]

  let weights: TransformerWeights
  private let weightLayout: WeightLayout
  private let knownFingerprint = Mutex<[UInt8]?>(nil)
  let knownVocabulary = Mutex<TokenVocabulary?>(nil)
  let knownLongestToken = Mutex<Int?>(nil)
  let grammars = Mutex(KnownGrammars())
  let metrics: RequestMetrics
  let logger: Logger
  let observer: RequestObserver?
  package let worker: InferenceWorker
  package let pool: KVBlockPool
  package let endTokens: Set<Int32>
  /// Tokens that are never part of a text: the flags of a model that was taught to raise them (``FlagTokens``).
  package let unwritableTokens: [Int32]

  /// Loads the GGUF file at `path` on the caller's thread: weights stay mapped, so this takes milliseconds. See
  /// ``load(path:_:progress:)``.
  /// - Throws: `FileError`, `GGUFError`, `LanguageModelError`, `InferenceError`.
  public convenience init(path: String, _ options: LoadOptions) throws {
    try self.init(GGUFFile(path: path), options)
  }

  /// Loads from an opened file.
  /// - Throws: `GGUFError`, `LanguageModelError`, `InferenceError`.
  /// - Parameter progress: called with the part of the steps that is done, up to 1.
  public init(_ file: GGUFFile, _ options: LoadOptions, progress: (Double) -> Void = { _ in }) throws {
    let path = file.path
    let weights = try TransformerWeights(file: file, layout: options.weightLayout)
    progress(0.25)
    self.weights = weights
    weightLayout = options.weightLayout
    let tokenizer = try Self.checkTokenizer(of: file, weights.configuration)
    progress(0.75)
    self.tokenizer = tokenizer
    self.path = path
    knownAs = options.identity
    metrics = RequestMetrics(model: Self.name(of: path))
    logger = options.logger
    observer = options.observer
    ownNumbers = file.ownKeys.reduce(into: [:]) { $0[$1] = try? file.integer($1) }
    unwritableTokens = ownNumbers[FlagTokens.metadataKey] == nil ? [] : FlagTokens.reserved(in: tokenizer)
    configuration = weights.configuration
    weightBytes = weights.byteCount
    cachePrecision = options.cachePrecision
    contextLength = max(1, min(options.contextLength, weights.configuration.contextLength))
    template = try Self.template(file, tokenizer)
    var ends = tokenizer.endOfGeneration
    if case .success(let template) = template {
      ends.formUnion(template.stopTokens.compactMap(tokenizer.id(ofSpecial:)))
    }
    endTokens = ends
    let layout = KVLayout(configuration, cachePrecision)
    pool = KVBlockPool(layout)
    let budget =
      options.cacheBytes ?? KVLayout.blocks(contextLength) * layout.blockBytes / (options.savesMemory ? 2 : 1)
    worker = InferenceWorker(
      transformer: try Transformer(
        weights, threadCount: options.threadCount, batchSize: options.batchSize, variant: options.kernelVariant),
      draft: try options.draft.map { try Self.draft($0, for: tokenizer, options) }, tokenizer: tokenizer,
      unwritable: unwritableTokens, prefixes: PrefixCache(pool, budget: budget),
      admission: AdmissionPolicy(running: options.concurrentReplies, waiting: options.waitingRequests),
      metrics: metrics)
    progress(1)
  }

  /// The file's name without folder and ending: what logs, metrics and traces call the model.
  public var name: String { Self.name(of: path) }

  private static func name(of path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.lowercased().hasSuffix(".gguf") ? String(file.dropLast(5)) : file
  }

  /// The tokenizer of a file, which must fit its embedding.
  /// - Throws: `GGUFError`, `LanguageModelError`.
  @discardableResult
  package static func checkTokenizer(
    of file: GGUFFile, _ configuration: ModelConfiguration
  ) throws -> any Tokenizer {
    let tokenizer: any Tokenizer
    do {
      tokenizer = try Vocabulary(file: file).makeTokenizer()
    } catch let error as TokenizerError {
      throw LanguageModelError.tokenizer(path: file.path, error)
    }
    guard tokenizer.vocabularySize == configuration.vocabularySize else {
      throw LanguageModelError.vocabularySize(
        path: file.path, tokens: tokenizer.vocabularySize, rows: configuration.vocabularySize)
    }
    return tokenizer
  }

  /// - Throws: `GGUFError`, `LanguageModelError.otherVocabulary`, `InferenceError`.
  private static func draft(
    _ file: GGUFFile, for tokenizer: any Tokenizer, _ options: LoadOptions
  ) throws -> DraftModel {
    let weights = try TransformerWeights(file: file, layout: options.weightLayout)
    let own = try checkTokenizer(of: file, weights.configuration)
    guard own.vocabularySize == tokenizer.vocabularySize,
      (0..<Int32(clamping: own.vocabularySize)).allSatisfy({ own.bytes(of: $0) == tokenizer.bytes(of: $0) })
    else { throw LanguageModelError.otherVocabulary(path: file.path) }
    return try DraftModel(weights, threadCount: options.threadCount, options.cachePrecision, options.kernelVariant)
  }

  private static func template(
    _ file: GGUFFile, _ tokenizer: any Tokenizer
  ) throws(GGUFError) -> Result<ChatTemplate, LanguageModelError> {
    guard let source = try file.string("tokenizer.chat_template") else {
      return .failure(.noChatTemplate(path: file.path))
    }
    do throws(TokenizerError) {
      return .success(
        try ChatTemplate(recognizing: source, addsBeginOfSequence: tokenizer.roles.addsBeginOfSequence))
    } catch {
      return .failure(.tokenizer(path: file.path, error))
    }
  }

  /// Continues a text as it stands, without a chat template: each element is all of the continuation so far. Ending the stream early
  /// stops it.
  public func streamCompletion(
    of prompt: String, _ options: GenerationOptions, adapter: ModelAdapter? = nil
  ) -> ResponseStream {
    ResponseStream { try await self.complete(prompt, options, adapter: adapter, onText: $0) }
  }

  /// Continues a text as it stands, without a chat template.
  ///
  /// Cancelling the task ends it at the next token, with what there is.
  /// - Parameters:
  ///   - adapter: one that was loaded for this model.
  ///   - onText: receives the text piece by piece as it comes.
  public func complete(
    _ prompt: String, _ options: GenerationOptions, adapter: ModelAdapter? = nil,
    onText: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> GenerationResult {
    try await observing(.textCompletion, options) {
      try check(options)
      try checkLength(ofPrompt: prompt)
      let tokens = try encoding { () throws(TokenizerError) in try tokenizer.encode(prompt, addingBoundaries: true) }
      return try await worker.generate(
        tokens, in: makeSequence(adapter: adapter), options, endTokens: endTokens, continuesText: true, emit: onText)
    }
  }

  /// Room for one conversation.
  package func makeSequence(adapter: ModelAdapter? = nil) -> CachedSequence {
    CachedSequence(KVCache(pool, capacity: contextLength), adapter: adapter?.weights)
  }

  /// Tells its weights and its vocabulary from others. The first time reads the header and a part of every tensor.
  package var fingerprint: [UInt8] {
    knownFingerprint.withLock { known in
      let fingerprint = known ?? weights.file.fingerprint()
      known = fingerprint
      return fingerprint
    }
  }

  /// What keys and values in a file must have been computed by. The first time reads the header and a part of every tensor.
  package func cacheIdentity(_ adapter: ModelAdapter?) -> [UInt8] {
    KVSnapshot.identity(
      model: fingerprint + (adapter?.fingerprint ?? []), kernels: kernelName, weights: weightLayout, layout: pool.layout
    )
  }

  /// Bytes of the keys and values of all conversations; what several share counts once.
  public var cacheByteCount: Int { pool.byteCount }

  /// Forgets what is only kept in case that a prompt begins like an earlier one.
  public func clearCache() async {
    grammars.withLock { $0 = KnownGrammars() }
    await worker.clearPrefixes()
  }

  /// Runs `body`; what the tokenizer refuses is told with the file it came from.
  func encoding<T>(_ body: () throws(TokenizerError) -> T) throws(LanguageModelError) -> T {
    do {
      return try body()
    } catch {
      throw .tokenizer(path: path, error)
    }
  }

  /// The logits after each of `tokens`, handed over in order: one value per vocabulary entry, valid during the call.
  package func eachLogits(
    _ tokens: [Int32], adapter: ModelAdapter? = nil,
    _ receive: @escaping @Sendable (_ index: Int, _ logits: UnsafeBufferPointer<Float>) -> Void
  ) async throws {
    let cache = KVCache(pool, capacity: max(1, tokens.count))
    try await worker.eachLogits(tokens, in: CachedSequence(cache, adapter: adapter?.weights), receive)
  }
}
