// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A low-rank adapter that is applied while a model runs: its factors in the layouts of the products, beside weights that stay as
/// they are. One set of weights serves sequences with any adapters, and none, in one step (`StepSegment`), as in Punica
/// (arXiv:2310.18547) and S-LoRA (arXiv:2311.03285).
///
/// A token reads the factors beside the weights, and that is what it costs more. Factors of quantized types are kept as F16, which
/// is finer than they are.
package final class AdapterWeights: @unchecked Sendable {  // immutable after init
  /// Of this object in this process: never 0, and never given twice. Keys and values belong to a model and an adapter; what was
  /// cached with one is of no use to another.
  package let identity: UInt64
  package let path: String
  /// Bytes of the factors in memory.
  package let byteCount: Int
  /// What the adapter calls itself.
  package let name: String?
  /// Numbers under keys of nobody's standard: what its makers tell their own programs.
  package let ownNumbers: [String: Int]
  /// The highest of its ranks.
  let rank: Int
  /// That of every model that it can be used with.
  let shape: TransformerShape
  /// By `AdapterSite`.
  let stacks: UnsafePointer<LowRankStack>
  private let arena: Arena

  private static let identities = Atomic<UInt64>(0)

  /// Reads an adapter in the GGUF form of llama.cpp (`LowRankAdapter`) and checks all of it. O(its size).
  ///
  /// - Throws: `AdapterError` where it is none for this model, or has a value that is not finite; `GGUFError` and `FileError`
  ///   for the file itself; `InferenceError.notEnoughMemory`.
  package init(path: String, for base: TransformerWeights) throws {
    let adapter = try LowRankAdapter(path: path, base: base.file)
    var layout = FactorLayout(adapter)
    var found = [LowRankStack](repeating: LowRankStack(), count: AdapterSite.count(base.shape))
    for layer in 0..<base.shape.layerCount {
      for (site, names, stack) in Self.stacks(layer, of: base) {
        var firstRow = 0
        for (part, (name, matrix)) in zip(names, stack.matrices).enumerated() {
          let factors = try layout.product("blk.\(layer).\(name).weight", firstRow: firstRow)
          if let factors { found[site.index].set(part, factors) }
          firstRow += matrix.rows
        }
      }
    }
    // Where the output is the embedding, it changes with it.
    let output = base.file.tensors["output.weight"] == nil ? "token_embd.weight" : "output.weight"
    if let factors = try layout.product(output, firstRow: 0) {
      found[AdapterSite.output(base.shape).index].set(0, factors)
    }
    if let factors = try layout.lookUp("token_embd.weight") {
      found[AdapterSite.embedding(base.shape).index].set(0, factors)
    }

    let stacks = UnsafeMutablePointer<LowRankStack>.allocate(capacity: found.count)
    stacks.initialize(from: found, count: found.count)
    self.stacks = UnsafePointer(stacks)
    (self.path, shape, name, ownNumbers) = (path, base.shape, adapter.name, adapter.ownNumbers)
    (rank, byteCount) = (layout.rank, layout.arena.byteCount)
    arena = layout.arena
    identity = Self.identities.add(1, ordering: .relaxed).newValue
  }

  deinit { stacks.deallocate() }

  /// The stacks of a layer, and the names of their matrices.
  private static func stacks(
    _ layer: Int, of base: TransformerWeights
  ) -> [(site: AdapterSite, names: [String], stack: MatrixStack)] {
    let weights = base.layer(layer)
    let isFused = base.configuration.architecture == .phi3
    return [
      (.queryKeyValue(layer), isFused ? ["attn_qkv"] : ["attn_q", "attn_k", "attn_v"], weights.queryKeyValue),
      (.attentionOutput(layer), ["attn_output"], weights.attentionOutput),
      (.gateUp(layer), isFused ? ["ffn_up"] : ["ffn_gate", "ffn_up"], weights.gateUp),
      (.down(layer), ["ffn_down"], weights.down),
    ]
  }
}
