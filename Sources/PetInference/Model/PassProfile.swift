// SPDX-License-Identifier: Apache-2.0
/// Time per part of forward passes, summed.
package struct PassProfile: Sendable {
  /// Parts of a pass, in their order.
  package enum Part: Int, Sendable, CaseIterable {
    /// Looking up rows of the embedding.
    case embedding
    /// Residual sums, norms, and the quantization of their results.
    case norms
    case queryKeyValue
    /// Rotary embedding; storing keys and values in the cache.
    case rotaryAndCache
    /// Scores, softmax, weighted values, and the quantization of the result.
    case attention
    case attentionOutput
    /// Both products, SwiGLU and its quantization.
    case gateUp
    case down
    case output
  }

  private let nanoseconds: [UInt64]

  init(nanoseconds: [UInt64]) { self.nanoseconds = nanoseconds }

  package subscript(_ part: Part) -> Duration { .nanoseconds(Int64(clamping: nanoseconds[part.rawValue])) }
}
