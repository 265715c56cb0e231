// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// The weights of a transformer: as they lie in its mapped file, or copied into the layout that the kernels like best. Those of a
/// packed file (`PackedFormat`) lie in it already and are never copied.
public final class TransformerWeights: @unchecked Sendable {  // immutable after init, but for what guards itself
  public enum Layout: Sendable {
    /// Mapped and shared, nothing copied: the smallest.
    case asInFile
    /// Rows interleaved, once a thread in the background has copied them.
    case interleaved
  }

  public let configuration: ModelConfiguration
  public let file: GGUFFile
  /// Bytes of all tensors.
  public let byteCount: Int
  let shape: TransformerShape
  let outputNorm: UnsafePointer<Float>  // [width]
  private let mapped: WeightTable
  private let interleaved: InterleavedWeights?
  private let copies: ReadyCopies?

  /// Finds and checks every tensor that the configuration asks for, and refuses tensors it does not know.
  /// - Throws: `GGUFError` naming the key or tensor; `InferenceError.notEnoughMemory`.
  public init(file: GGUFFile, layout: Layout = .asInFile) throws {
    configuration = try ModelConfiguration(file: file)
    shape = TransformerShape(configuration)
    var tensors = try TensorFinder(file: file)
    let found = try FoundTensors(configuration, &tensors)
    tensors.take(["rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"])
    try tensors.refuseRest()
    outputNorm = found.norms[0]
    let copiesRows = layout == .interleaved && !file.isPacked && found.layersCanBeInterleaved
    interleaved = copiesRows ? try InterleavedWeights(found.groups, of: file, KernelVariant.table(nil)) : nil
    // Behind all that may throw: nobody would let go of it.
    mapped = WeightTable(found.groups, configuration.architecture, vectors: found)
    copies = interleaved.map { [configuration] in
      ReadyCopies(ready: $0.ready, table: WeightTable($0.groups, configuration.architecture, vectors: found))
    }
    self.file = file
    byteCount = file.tensors.values.reduce(0) { $0 + $1.bytes.count }
    interleaved?.start()
    // Sums of unquantized weights differ between the layouts in the last bit: no change in the middle of a reply.
    if found.groups.joined().contains(where: { !$0.type.isQuantized }) { interleaved?.wait() }
  }

  deinit {
    mapped.deallocate()
    copies?.table.deallocate()
  }

  /// Returns when the weights lie as they were asked for.
  public func waitUntilReady() { interleaved?.wait() }

  /// The matrices of layer `index`, or, with one more than the last, those before and behind the layers.
  private func table(_ index: Int) -> WeightTable {
    if let copies, copies.isReady(index) { return copies.table }
    return mapped
  }

  func layer(_ index: Int) -> WeightTable.Layer { table(index).layers[index] }
  /// [vocabulary, width]
  var embedding: QuantizedMatrix { table(configuration.layerCount).embedding }
  /// [vocabulary, width], the embedding where the two are tied.
  var output: MatrixStack { table(configuration.layerCount).output }
}

/// What a pass needs to know of interleaved copies; a plain value, so that asking counts no references.
private struct ReadyCopies {
  let ready: UnsafePointer<UInt32>
  let table: WeightTable

  func isReady(_ group: Int) -> Bool { Int(pk_load(ready)) > group }
}
