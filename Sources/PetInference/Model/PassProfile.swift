// SPDX-License-Identifier: Apache-2.0
/// How long the parts of forward passes took together.
package struct PassProfile: Sendable {
  /// Parts of a pass, in their order.
  package enum Part: Int, Sendable, CaseIterable {
    /// Rows of the embedding.
    case embedding
    /// Residual sums, norms, and the quantization of what they give.
    case norms
    case queryKeyValue
    /// Rotary embedding; keys and values to the cache.
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
