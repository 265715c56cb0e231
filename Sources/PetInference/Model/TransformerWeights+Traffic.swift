// SPDX-License-Identifier: Apache-2.0
extension TransformerWeights {
  /// Bytes of weights read per token: all matrices, but one row of an embedding that is not tied to the output.
  package var bytesReadPerToken: Int {
    guard let embedding = file.tensors["token_embd.weight"], file.tensors["output.weight"] != nil else {
      return byteCount
    }
    return byteCount - embedding.bytes.count + embedding.bytes.count / configuration.vocabularySize
  }

  /// Bytes of the matrices that one part reads; 0 for parts without matrices.
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
