// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetFiles
import PetInference
import Testing

/// Interleaved files that cannot be right, and models that cannot be interleaved.
@Suite struct RejectsInterleavedFilesTests {
  private func reason(_ file: GGUFFile) throws -> GGUFError.Reason {
    let error = try #require(throws: GGUFError.self) { _ = try TransformerWeights(file: file) }
    #expect(!error.description.contains("\n"))
    return error.reason
  }

  private func reason(changing key: String, to value: GGUFValue?) throws -> GGUFError.Reason {
    let file = try InterleavedFixture.rewrite(InterleavedFixture.small().interleaved, [key: value])
    return try reason(GGUFFile(path: file.path))
  }

  @Test func theRewrittenFileIsSound() throws {
    let fixture = try InterleavedFixture.small()
    let file = try InterleavedFixture.rewrite(fixture.interleaved, [:])
    _ = try TransformerWeights(file: GGUFFile(path: file.path))
  }

  @Test(arguments: [UInt32(0), 2, .max]) func otherVersions(_ version: UInt32) throws {
    #expect(
      try reason(changing: "pet-interleaved.version", to: .uint32(version))
        == .interleavedVersion(Int(version), supported: 1))
  }

  @Test(arguments: ["version", "architecture", "source_sha256"]) func keysOfTheFormat(_ name: String) throws {
    let key = "pet-interleaved." + name
    #expect(try reason(changing: key, to: nil) == .missingKey(key))
    guard case .keyType(key, _) = try reason(changing: key, to: .float32(1)) else {
      Issue.record("accepted")
      return
    }
  }

  @Test(arguments: ["", "0123", String(repeating: "g", count: 64), String(repeating: "A", count: 64)])
  func hashesThatAreNone(_ hash: String) throws {
    guard
      case .keyValue("pet-interleaved.source_sha256", hash, _) = try reason(
        changing: "pet-interleaved.source_sha256", to: .text(hash))
    else {
      Issue.record("accepted")
      return
    }
  }

  @Test(arguments: ["mamba", "pet-interleaved", ""]) func architectures(_ name: String) throws {
    #expect(
      try reason(changing: "pet-interleaved.architecture", to: .text(name))
        == .unsupportedArchitecture(name, supported: ["llama", "phi3", "qwen2"]))
  }

  /// Layers of 48 rows: no whole groups in halves, and beside others in a stack.
  @Test func rowsThatMakeNoGroups() throws {
    let uneven = try GGUFFile(path: Fixtures.path("models/phi3-mha/model.gguf"))
    let file = try InterleavedFixture.rewrite(
      uneven,
      [
        "general.architecture": .text("pet-interleaved"), "pet-interleaved.version": .uint32(1),
        "pet-interleaved.architecture": .text("phi3"), "pet-interleaved.source_sha256": .text(InterleavedFixture.hash),
      ])
    #expect(try reason(GGUFFile(path: file.path)) == .unevenRows(tensor: "blk.0.attn_qkv.weight", rows: 144))
    let error = try #require(throws: GGUFError.self) { _ = try InterleavedFileWriter(uneven) }
    guard case .unevenRows = error.reason else {
      Issue.record("\(error)")
      return
    }
  }

  @Test func interleavedFilesAreNotInterleavedAgain() throws {
    let fixture = try InterleavedFixture.small()
    #expect(throws: GGUFError(path: fixture.interleaved.path, reason: .interleaved)) {
      _ = try InterleavedFileWriter(fixture.interleaved)
    }
  }

  @Test func outputsThatAreTheInput() throws {
    let file = try TemporaryFile(Array(Fixtures.data("models/llama-gqa/model.gguf")))
    let writer = try InterleavedFileWriter(GGUFFile(path: file.path))
    #expect(throws: QuantizationError.overwritesInput(path: file.path)) {
      _ = try writer.write(to: file.path, sourceHash: InterleavedFixture.hash) { _ in }
    }
    #expect(try Data(contentsOf: URL(filePath: file.path)) == Fixtures.data("models/llama-gqa/model.gguf"))
  }

  /// Cut anywhere: an error, never a trap and never a read beyond the end.
  @Test func cutShort() throws {
    let bytes = try InterleavedFixture.small().interleavedBytes
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 64)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    let whole = UnsafeRawBufferPointer(memory)
    for count in stride(from: 0, to: bytes.count, by: 97) + [bytes.count - 64] {
      let part = MappedFile(permanent: UnsafeRawBufferPointer(rebasing: whole[..<count]), named: "part")
      #expect(throws: GGUFError.self, "\(count) bytes") {
        _ = try TransformerWeights(file: GGUFFile(mapping: part))
      }
    }
  }

  /// Whatever the bytes: an error, or logits of some kind.
  @Test func damagedAnywhere() throws {
    let fixture = try InterleavedFixture.small()
    let header = try #require(fixture.interleaved.tensors.values.map(\.bytes.lowerBound).min())
    let bytes = fixture.interleavedBytes
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 64)
    defer { memory.deallocate() }
    var random = RandomSource(seed: 5)
    var refused = 0
    for round in 0..<600 {
      memory.copyBytes(from: bytes)
      let end = round % 2 == 0 ? header : bytes.count
      for _ in 0...round % 3 { memory[Int(random.next() % UInt64(end))] = UInt8(truncatingIfNeeded: random.next()) }
      do {
        let file = try GGUFFile(mapping: MappedFile(permanent: UnsafeRawBufferPointer(memory), named: "damaged"))
        let transformer = try Transformer(TransformerWeights(file: file), threadCount: 1, batchSize: 4)
        let cache = KVCache(transformer.configuration, capacity: 8)
        try transformer.forward([1, 2, 3], cache: cache)
        #expect(transformer.logits.count == transformer.configuration.vocabularySize)
      } catch let error as GGUFError {
        #expect(!error.description.contains("\n"))
        refused += 1
      } catch is InferenceError {
        refused += 1
      }
    }
    #expect(refused > 50)
  }
}
