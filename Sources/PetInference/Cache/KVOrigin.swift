// SPDX-License-Identifier: Apache-2.0
/// What keys and values were computed with, besides the weights: those of another origin are of no use to a sequence.
package struct KVOrigin: Sendable, Hashable {
  /// The rotary regime that the keys were turned with.
  package var regime = RotaryEmbedding.Regime.short
  /// `AdapterWeights.identity`; 0: none.
  package var adapter: UInt64 = 0

  package init(regime: RotaryEmbedding.Regime = .short, adapter: UInt64 = 0) {
    self.regime = regime
    self.adapter = adapter
  }
}
