// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A low-rank adapter applied while a model runs: its factors, laid out for products. The base weights do not change. One step
/// (`StepSegment`) serves sequences with different adapters, and with none, as in Punica (arXiv:2310.18547) and S-LoRA
/// (arXiv:2311.03285).
///
/// Cost per token: reading the factors. Factors of quantized types are stored as F16, which holds their values.
package final class AdapterWeights: @unchecked Sendable {  // immutable after init
  /// Unique in this process, never 0. Keys and values depend on the adapter, so caches compare this.
  package let identity: UInt64
  package let path: String
  /// Bytes of the factors in memory.
  package let byteCount: Int
  /// `general.name` of the adapter.
  package let name: String?
  /// Vendor metadata: integers under keys outside the GGUF standard.
  package let ownNumbers: [String: Int]
  /// The largest rank of its factors.
  let rank: Int
  /// The shape of the models that it fits.
  let shape: TransformerShape
  /// Indexed by `AdapterSite`.
  let stacks: UnsafePointer<LowRankStack>
  private let arena: Arena

  private static let identities = Atomic<UInt64>(0)

  /// Reads an adapter in the GGUF form of llama.cpp (`LowRankAdapter`) and checks all of it. O(its size).
  ///
  /// - Throws: `AdapterError` where it does not fit the model, or has a value that is not finite; `GGUFError` and `FileError`
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
    // A tied output matrix gets the embedding's adapter.
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
