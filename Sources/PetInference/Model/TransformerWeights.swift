// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// The weights of a transformer: in its mapped file, or as interleaved copies. Those of an interleaved file
/// (`InterleavedFormat`) are never copied.
package final class TransformerWeights: @unchecked Sendable {  // immutable after init; copies synchronize
  package let configuration: ModelConfiguration
  package let file: GGUFFile
  /// Bytes of all tensors.
  package let byteCount: Int
  let shape: TransformerShape
  let outputNorm: UnsafePointer<Float>  // [width]
  private let originals: WeightTable
  private let copies: InterleavedCopies?
  private let readyCopies: ReadyCopies?

  /// Finds and checks every tensor that the configuration asks for, and refuses tensors it does not know.
  ///
  /// - Parameter layout: what a row-major file is run from: itself, or interleaved copies that a thread makes in the background.
  /// - Throws: `GGUFError` naming the key or tensor; `InferenceError.notEnoughMemory`.
  package init(file: GGUFFile, layout: WeightLayout = .rowMajor) throws {
    configuration = try ModelConfiguration(file: file)
    shape = TransformerShape(configuration)
    var tensors = try TensorFinder(file: file)
    let found = try FoundTensors(configuration, &tensors)
    tensors.take(["rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"])
    try tensors.refuseRest()
    outputNorm = found.norms[0]
    let areCopied = layout == .interleaved && !file.isInterleaved && found.layersCanBeInterleaved
    copies = areCopied ? try InterleavedCopies(found.groups, of: file, KernelVariant.table(nil)) : nil
    // After everything that may throw: the tables are deallocated by deinit only.
    originals = WeightTable(found.groups, configuration.architecture, vectors: found)
    readyCopies = copies.map { [configuration] in
      ReadyCopies(ready: $0.ready, table: WeightTable($0.groups, configuration.architecture, vectors: found))
    }
    self.file = file
    byteCount = file.tensors.values.reduce(0) { $0 + $1.bytes.count }
    copies?.start()
    // Products of unquantized weights differ between the layouts in the last bit: never switch within a reply.
    if found.groups.joined().contains(where: { !$0.type.isQuantized }) { copies?.wait() }
  }

  deinit {
    originals.deallocate()
    readyCopies?.table.deallocate()
  }

  /// Returns when the weights have the layout asked for.
  package func waitUntilReady() { copies?.wait() }

  /// The table that holds layer `index`; the number of layers as index stands for embedding and output.
  private func table(_ index: Int) -> WeightTable {
    if let readyCopies, readyCopies.isReady(index) { return readyCopies.table }
    return originals
  }

  func layer(_ index: Int) -> WeightTable.Layer { table(index).layers[index] }
  /// [vocabulary, width]
  var embedding: QuantizedMatrix { table(configuration.layerCount).embedding }
  /// [vocabulary, width], the embedding where the two are tied.
  var output: MatrixStack { table(configuration.layerCount).output }
}

/// What a pass reads of interleaved copies. A trivial type: reading it counts no references.
private struct ReadyCopies {
  let ready: UnsafePointer<UInt32>
  let table: WeightTable

  func isReady(_ group: Int) -> Bool { Int(pk_load(ready)) > group }
}
