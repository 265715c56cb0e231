// SPDX-License-Identifier: Apache-2.0
/// The hash of Fowler, Noll and Vo, 32 bits: names words in files, and is no protection against anybody.
package enum FNV1a {
  /// O(bytes).
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
