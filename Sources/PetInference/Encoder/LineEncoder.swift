// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetFiles

/// An encoder of short lines (BERT, arXiv:1810.04805) with one linear layer behind it, which answers questions about a line.
///
/// Every piece sees every other. What is answered is read off the first state and the mean of those of the line. Its inner layers have
/// SiLU for GELU. `Training/lib/encoder.py` computes the same and writes the file.
package final class LineEncoder: @unchecked Sendable {  // read-only memory
  struct Norm {
    let weight: UnsafePointer<Float>  // [width]
    let bias: UnsafePointer<Float>  // [width]
  }

  struct Layer {
    let weights: QuantizedMatrix
    let bias: UnsafePointer<Float>  // [rows]
  }

  struct Block {
    let queryKeyValue, output, up, down: Layer
    let attentionNorm, outputNorm: Norm
  }

  struct Shape {
    let width, inner, heads, blocks, pieces, classes: Int
    let epsilon: Float
    var headSize: Int { width / heads }
  }

  /// At most so many pieces of a line, and of what came before it, are looked at: the last ones.
  package let line, before: Int
  /// How many answers there are.
  package var classes: Int { shape.classes }
  /// The pieces of words, as they are numbered.
  package let pieces: GGUFStrings
  let shape: Shape
  let embedding: QuantizedMatrix
  let places: UnsafePointer<Float>  // [line + before + 3, width]
  let parts: UnsafePointer<Float>  // [2, width]
  let norm: Norm
  let blocks: [Block]
  let head: Layer
  let kernels: UnsafePointer<pk_kernels>
  private let file: GGUFFile

  /// - Throws: `GGUFError` for a file that is none, or whose tensors do not fit.
  package convenience init(permanent bytes: UnsafeRawBufferPointer, named name: String) throws {
    try self.init(file: GGUFFile(mapping: MappedFile(permanent: bytes, named: name)))
  }

  /// - Throws: as ``init(permanent:named:)``; `InferenceError`.
  package init(file: GGUFFile) throws {
    let name = "line-encoder"
    func size(_ key: String, _ sensible: ClosedRange<Int>) throws -> Int {
      let key = "\(name).\(key)"
      let value = try file.require(key, try file.integer(key))
      guard sensible.contains(value) else {
        throw file.error(
          .keyValue(key: key, value: "\(value)", allowed: "\(sensible.lowerBound) to \(sensible.upperBound)"))
      }
      return value
    }
    guard try file.string("general.architecture") == name else {
      throw file.error(.unsupportedArchitecture(try file.architecture() ?? "none", supported: [name]))
    }
    let (width, inner) = (try size("embedding_length", 32...1024), try size("feed_forward_length", 32...4096))
    let heads = try size("attention.head_count", 1...64)
    guard width % 32 == 0, inner % 32 == 0, width % heads == 0 else {
      throw file.error(.keyValue(key: "\(name).embedding_length", value: "\(width)", allowed: "whole blocks and heads"))
    }
    line = try size("context_length", 1...256)
    before = try size("before_length", 0...256)
    let key = "tokenizer.ggml.tokens"
    pieces = try file.require(key, try file.strings(key))
    shape = Shape(
      width: width, inner: inner, heads: heads, blocks: try size("block_count", 1...24), pieces: pieces.count,
      classes: try size("classes", 1...1024), epsilon: try file.float("\(name).attention.layer_norm_epsilon") ?? 1e-12)
    var tensors = try TensorFinder(file: file)
    func norm(_ name: String) throws -> Norm {
      Norm(
        weight: try tensors.vector(name + ".weight", count: width),
        bias: try tensors.vector(name + ".bias", count: width))
    }
    func layer(_ name: String, rows: Int, columns: Int) throws -> Layer {
      Layer(
        weights: try tensors.matrix(name + ".weight", rows: rows, columns: columns),
        bias: try tensors.vector(name + ".bias", count: rows))
    }
    embedding = try tensors.matrix("token_embd.weight", rows: pieces.count, columns: width)
    places = try tensors.vector("position_embd.weight", count: (line + before + 3) * width)
    parts = try tensors.vector("token_types.weight", count: 2 * width)
    self.norm = try norm("token_embd_norm")
    blocks = try (0..<shape.blocks).map { index in
      let prefix = "blk.\(index)."
      return Block(
        queryKeyValue: try layer(prefix + "attn_qkv", rows: 3 * width, columns: width),
        output: try layer(prefix + "attn_output", rows: width, columns: width),
        up: try layer(prefix + "ffn_up", rows: inner, columns: width),
        down: try layer(prefix + "ffn_down", rows: width, columns: inner),
        attentionNorm: try norm(prefix + "attn_output_norm"), outputNorm: try norm(prefix + "layer_output_norm"))
    }
    head = try layer("cls.output", rows: shape.classes, columns: 2 * width)
    try tensors.refuseRest()
    kernels = try KernelVariant.table(nil)
    self.file = file
  }
}
