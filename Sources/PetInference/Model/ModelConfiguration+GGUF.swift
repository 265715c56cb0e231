// SPDX-License-Identifier: Apache-2.0
import CPetKernels

extension ModelConfiguration {
  // Far above any published model of these architectures, and small enough that products of two never overflow.
  private static let maximumLayers = 512
  private static let maximumHeads = 1024
  private static let longestHead = PK_LONGEST_HEAD
  private static let maximumWidth = 1 << 17
  private static let maximumVocabulary = 1 << 21
  private static let maximumContext = 1 << 24

  /// Reads the shape that a file declares; throws where a key is missing, of another type, or out of range.
  package init(file: GGUFFile) throws(GGUFError) {
    if let count = try file.integer("split.count"), count > 1 {
      throw file.error(.split(part: try file.integer("split.no") ?? 0, count: count))
    }
    let name = try file.require("general.architecture", file.architecture())
    guard let architecture = Architecture(rawValue: name) else {
      throw file.error(.unsupportedArchitecture(name, supported: Architecture.allCases.map(\.rawValue)))
    }
    let reader = Reader(file: file, prefix: name)
    self.architecture = architecture
    self.name = try file.string("general.name")
    layerCount = try reader.integer("block_count", in: 1...Self.maximumLayers)
    width = try reader.integer("embedding_length", in: 1...Self.maximumWidth)
    headCount = try reader.integer("attention.head_count", in: 1...Self.maximumHeads)
    keyValueHeadCount = try reader.integer("attention.head_count_kv", in: 1...headCount, default: headCount)
    guard headCount % keyValueHeadCount == 0 else {
      throw reader.wrong("attention.head_count_kv", "\(keyValueHeadCount)", "a divisor of the \(headCount) heads")
    }
    headSize = try reader.integer("attention.key_length", in: 2...Self.longestHead, default: width / headCount)
    guard headSize % 2 == 0, (2...Self.longestHead).contains(headSize) else {
      throw reader.wrong("attention.key_length", "\(headSize)", "an even number from 2 to \(Self.longestHead)")
    }
    let valueLength = try reader.integer("attention.value_length", in: 2...Self.longestHead, default: headSize)
    guard valueLength == headSize else {
      throw reader.wrong("attention.value_length", "\(valueLength)", "the length of the keys, \(headSize),")
    }
    feedForwardWidth = try reader.integer("feed_forward_length", in: 1...Self.maximumWidth * 8)
    contextLength = try reader.integer("context_length", in: 1...Self.maximumContext)
    normEpsilon = try file.require(
      reader.key("attention.layer_norm_rms_epsilon"), file.float(reader.key("attention.layer_norm_rms_epsilon")))
    guard normEpsilon >= 0, normEpsilon < 1 else {
      throw reader.wrong("attention.layer_norm_rms_epsilon", "\(normEpsilon)", "a number from 0 to 1")
    }
    vocabularySize = try Self.vocabularySize(file, maximum: Self.maximumVocabulary)
    slidingWindow = try reader.optionalInteger("attention.sliding_window", in: 0...Self.maximumContext)
    // Old files of Phi-3-mini-4k and Phi-3-medium-4k lack the key; llama.cpp recognizes them in the same way.
    if slidingWindow == nil, architecture == .phi3, contextLength == 4096, layerCount == 32 || layerCount == 40 {
      slidingWindow = 2047
    }
    if slidingWindow == 0 { slidingWindow = nil }
    rotary = try RotaryEmbedding(reader, architecture, headSize: headSize, contextLength: contextLength)
    try reader.refuse("expert_count", unless: 0)
  }

  /// Taken from the embedding's rows: the `vocab_size` key is often absent.
  private static func vocabularySize(_ file: GGUFFile, maximum: Int) throws(GGUFError) -> Int {
    guard let embedding = file.tensors["token_embd.weight"] else {
      throw file.error(.missingTensor("token_embd.weight"))
    }
    guard embedding.dimensions.count == 2, embedding.dimensions[1] <= maximum else {
      throw file.error(
        .tensorShape(tensor: embedding.name, found: embedding.dimensions, expected: [embedding.dimensions[0], maximum]))
    }
    return embedding.dimensions[1]
  }

  /// Keys of one architecture, with their ranges.
  struct Reader {
    let file: GGUFFile
    let prefix: String

    func key(_ suffix: String) -> String { "\(prefix).\(suffix)" }

    func wrong(_ suffix: String, _ value: String, _ allowed: String) -> GGUFError {
      file.error(.keyValue(key: key(suffix), value: value, allowed: allowed))
    }

    func optionalInteger(_ suffix: String, in range: ClosedRange<Int>) throws(GGUFError) -> Int? {
      guard let value = try file.integer(key(suffix)) else { return nil }
      guard range.contains(value) else {
        throw wrong(suffix, "\(value)", "a number from \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }

    func integer(_ suffix: String, in range: ClosedRange<Int>, default: Int? = nil) throws(GGUFError) -> Int {
      try file.require(key(suffix), try optionalInteger(suffix, in: range) ?? `default`)
    }

    /// Features that change the arithmetic are refused, not ignored.
    func refuse(_ suffix: String, unless allowed: Int) throws(GGUFError) {
      if let value = try file.integer(key(suffix)), value != allowed {
        throw file.error(.unsupportedFeature(key: key(suffix), value: "\(value)"))
      }
    }
  }
}
