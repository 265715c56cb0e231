// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import PetLanguage
import Testing

@Suite("Texts as vectors", .timeLimit(.minutes(5)))
struct EmbeddingTests {
  /// What llama.cpp gives with pooling "mean" on the same weights as floats, made by Tests/References/make_embeddings.py.
  private struct Reference: Decodable {
    let text: String
    let vector: [Float]
  }

  private func product(_ a: [Float], _ b: [Float]) -> Float { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }

  @Test("they point where llama.cpp's do, but for quantized arithmetic")
  func reference() async throws {
    let data = try Data(contentsOf: Models.fixture("embeddings/nano.json"))
    let references = try JSONDecoder().decode([Reference].self, from: data)
    let model = try Models.Reference.nano.load()
    let vectors = try await model.embeddings(of: references.map(\.text))
    #expect(vectors.count == 5)
    for (reference, vector) in zip(references, vectors) {
      #expect(vector.count == model.configuration.width)
      #expect((product(vector, vector) - 1).magnitude < 1e-5)
      #expect(product(vector, reference.vector) > 0.999, "\(reference.text.prefix(40))")
    }
    // Nobody's vector is nearer to a text than its own.
    for (index, vector) in vectors.enumerated() {
      let nearest = references.indices.max {
        product(vector, references[$0].vector) < product(vector, references[$1].vector)
      }
      #expect(nearest == index)
    }
  }

  @Test("they do not depend on threads, on replies that are written meanwhile, or on other texts")
  func alone() async throws {
    let texts = (1...6).map { String(repeating: "some words, ", count: 3 * $0) }
    let model = try Models.small(contextLength: 256)
    let alone = try await model.embeddings(of: texts)
    #expect(try await Models.small(contextLength: 256, threads: 3).embeddings(of: texts) == alone)
    async let reply = model.complete("Once upon a time", .greedy(maximumTokens: 200))
    let together = try await withThrowingTaskGroup(of: (Int, [Float]).self) { group in
      for (index, text) in texts.enumerated() { group.addTask { (index, try await model.embedding(of: text)) } }
      return try await group.reduce(into: [Int: [Float]]()) { $0[$1.0] = $1.1 }
    }
    for index in texts.indices { #expect(together[index] == alone[index]) }
    _ = try await reply
  }

  @Test("many at once take the memory of one")
  func oneAfterTheOther() async throws {
    let model = try Models.small()
    let text = String(repeating: "some words, ", count: 18)
    let one = try KVLayout.blocks(model.tokenCount(of: text)) * model.pool.layout.blockBytes
    let watcher = Task {
      var most = 0
      while !Task.isCancelled {
        // A turn of the worker's own, between those of the texts.
        _ = await model.worker.load
        most = max(most, model.cacheByteCount)
      }
      return most
    }
    defer { watcher.cancel() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = try await model.embedding(of: text) } }
      try await group.waitForAll()
    }
    watcher.cancel()
    let most = await watcher.value
    #expect(most <= one, "\(most) bytes, and one text takes \(one)")
    #expect(model.cacheByteCount == 0)
  }

  @Test("nothing, and too much, is refused by name; whoever no longer waits is let go")
  func refused() async throws {
    let model = try Models.small(contextLength: 16)
    await #expect(throws: LanguageModelError.emptyText) { try await model.embedding(of: "") }
    await #expect(throws: LanguageModelError.emptyText) { try await model.embeddings(of: ["some", ""]) }
    await #expect {
      try await model.embedding(of: String(repeating: "word ", count: 100))
    } throws: { error in
      guard case InferenceError.contextFull(let needed, 16) = error else { return false }
      return needed > 16
    }
    await #expect(throws: InferenceError.cancelled) {
      try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await model.embedding(of: "some words")
      }.value
    }
    #expect(try await model.embedding(of: "some words").count == model.configuration.width)
    #expect(try await model.embeddings(of: []) == [])
  }
}
