// SPDX-License-Identifier: Apache-2.0
/// What keys and values depend on besides tokens and weights. A sequence can only reuse those of equal origin.
package struct KVOrigin: Sendable, Hashable {
  /// The rotary regime of the keys.
  package var regime = RotaryEmbedding.Regime.short
  /// `AdapterWeights.identity`; 0: none.
  package var adapter: UInt64 = 0

  package init(regime: RotaryEmbedding.Regime = .short, adapter: UInt64 = 0) {
    self.regime = regime
    self.adapter = adapter
  }
}
