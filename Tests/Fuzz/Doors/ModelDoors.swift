// SPDX-License-Identifier: Apache-2.0
import Crypto
import PetFiles
import PetInference
import PetLanguage
import PetTokenizer

/// Files of weights.
enum ModelDoors {
  /// In memory of its own length, so that the address sanitizer sees a read past the end, which a mapped page would hide.
  private static func withMapping(_ bytes: [UInt8], _ body: (MappedFile) throws -> Void) rethrows {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 64)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    try body(MappedFile(permanent: UnsafeRawBufferPointer(rebasing: memory[..<bytes.count]), named: "input"))
  }

  /// The container, what it says of the model, the vocabulary.
  static func gguf(_ bytes: [UInt8]) throws {
    try withMapping(bytes) { mapping in
      let file = try GGUFFile(mapping: mapping)
      _ = file.fingerprint()
      for tensor in file.tensorNames.compactMap({ file.tensors[$0] }) {
        let data = file.data(of: tensor)
        precondition(!data.isEmpty && data.count == tensor.bytes.count)
        _ = (data.first, data.last)
      }
      _ = (file.ownKeys, try? file.architecture())
      _ = try? file.string("tokenizer.chat_template")
      _ = try Vocabulary(file: file)
      _ = try ModelConfiguration(file: file)
    }
  }

  /// All that is needed for tokens, and some of them.
  static func model(_ bytes: [UInt8]) throws {
    // What asks for gigabytes is refused elsewhere, by what the machine has.
    try withMapping(bytes) { mapping in
      let file = try GGUFFile(mapping: mapping)
      let configuration = try ModelConfiguration(file: file)
      let weights = try TransformerWeights(file: file, layout: bytes.count.isMultiple(of: 2) ? .rowMajor : .interleaved)
      let tokenizer = try LanguageModel.checkTokenizer(of: file, configuration)
      let ids = try tokenizer.encode("Good \u{1F43E} <|user|>\n", specials: .asText, addingBoundaries: true)
      _ = tokenizer.decode(ids, showingSpecials: true)
      guard !ids.isEmpty, ids.count <= configuration.contextLength, estimate(configuration) < 1e8 else { return }
      let transformer = try Transformer(weights, threadCount: 1, batchSize: 8)
      let cache = KVCache(configuration, capacity: ids.count, precision: .q8_0)
      try transformer.forward(ids[...], cache: cache)
      precondition(transformer.logits.count == configuration.vocabularySize)
    }
  }

  /// Bytes of buffers and keys, roughly.
  private static func estimate(_ shape: ModelConfiguration) -> Double {
    let rows = [shape.width, shape.queryWidth, shape.feedForwardWidth, shape.vocabularySize].reduce(0) {
      $0 + Double($1)
    }
    return 40 * rows + 64 * Double(shape.layerCount) * Double(shape.keyValueWidth)
  }

  /// The model that adapters and snapshots are for.
  private static let base: GGUFFile = {
    do {
      return try GGUFFile(path: SeedFiles.folder + "/Seeds/model/llama.gguf")
    } catch {
      fatalError("\(error)")
    }
  }()

  static func adapter(_ bytes: [UInt8]) throws {
    try withMapping(bytes) { mapping in
      let adapter = try LowRankAdapter(file: GGUFFile(mapping: mapping), base: base)
      _ = adapter.ownMetadata
      for target in adapter.targets { _ = try adapter.delta(of: target) }
    }
  }

  private static let configuration: ModelConfiguration = {
    do {
      return try ModelConfiguration(file: base)
    } catch {
      fatalError("\(error)")
    }
  }()

  /// Keys and values, with a checksum that is right: behind it is what an attacker would have to get past.
  static func snapshot(_ bytes: [UInt8]) throws {
    var bytes = bytes
    let identity = [UInt8](repeating: 0x69, count: 32)
    if bytes.count >= 128 {
      var hash = SHA256()
      hash.update(data: bytes[..<96])
      hash.update(data: bytes[128...])
      bytes.replaceSubrange(96..<128, with: Array(hash.finalize()))
    }
    let pool = KVBlockPool(KVLayout(configuration, .q8_0))
    let path = InputFile.write(bytes)
    let snapshot = try KVSnapshot(
      path: path, identity: identity, pool: pool, vocabularySize: configuration.vocabularySize)
    let cache = KVCache(pool, capacity: configuration.contextLength)
    cache.adopt(snapshot.prefix)
    let transformer = try Transformer(TransformerWeights(file: base), threadCount: 1, batchSize: 4)
    guard cache.count < cache.capacity else { return }
    try transformer.forward([1], cache: cache)
    let written = InputFile.path("written")
    try KVSnapshot.write(
      snapshot.prefix, attaching: snapshot.attachment, identity: identity, layout: pool.layout, to: written)
    let again = try KVSnapshot(
      path: written, identity: identity, pool: pool, vocabularySize: configuration.vocabularySize)
    precondition(again.prefix.tokens == snapshot.prefix.tokens && again.attachment == snapshot.attachment)
  }
}
