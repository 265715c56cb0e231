// SPDX-License-Identifier: Apache-2.0
/// The beginning of a sequence with its keys and values, shared by reference.
package struct KVPrefix: Sendable {
  package let tokens: [Int32]
  /// As many blocks as the tokens need.
  package let blocks: [KVBlock]
  package let origin: KVOrigin

  package init(tokens: [Int32], blocks: [KVBlock], origin: KVOrigin) {
    (self.tokens, self.blocks, self.origin) = (tokens, blocks, origin)
  }

  package var count: Int { tokens.count }
}
