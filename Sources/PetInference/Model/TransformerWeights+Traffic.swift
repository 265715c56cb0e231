// SPDX-License-Identifier: Apache-2.0
extension TransformerWeights {
  /// Bytes of weights that computing one token reads: all but the embedding, of which it reads one row. Where the output
  /// matrix is the embedding, that is read whole.
  package var bytesReadPerToken: Int {
    guard let embedding = file.tensors["token_embd.weight"], file.tensors["output.weight"] != nil else {
      return byteCount
    }
    return byteCount - embedding.bytes.count + embedding.bytes.count / configuration.vocabularySize
  }

  /// Those of the matrices that one part reads; 0 for parts that read next to none.
  package func bytesReadPerToken(by part: PassProfile.Part) -> Int {
    func sum(_ stack: (WeightTable.Layer) -> MatrixStack) -> Int {
      (0..<configuration.layerCount).reduce(0) { $0 + stack(layer($1)).byteCount }
    }
    return switch part {
    case .queryKeyValue: sum(\.queryKeyValue)
    case .attentionOutput: sum(\.attentionOutput)
    case .gateUp: sum(\.gateUp)
    case .down: sum(\.down)
    case .output: output.byteCount
    case .embedding, .norms, .rotaryAndCache, .attention: 0
    }
  }
}
