// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// The layout of keys and values in a block: [layer][key or value][head][position][element], keys in groups of positions. The
/// data of one head is contiguous.
package struct KVLayout: Sendable, Equatable {
  /// Positions of a block. A block of a small model has some hundred kilobytes: sequences share all of a common prefix but its
  /// last partial block, and allocation costs nothing beside computing the contents.
  package static let blockPositions = Int(PK_BLOCK_POSITIONS)

  package let precision: KVCache.Precision
  let layerCount: Int
  let headCount: Int
  let headSize: Int
  /// Bytes of one head's key, or value, at one position.
  let rowBytes: Int

  package init(_ configuration: ModelConfiguration, _ precision: KVCache.Precision) {
    self.precision = precision
    layerCount = configuration.layerCount
    headCount = configuration.keyValueHeadCount
    headSize = configuration.headSize
    rowBytes = pk_cached_row_bytes(precision.kernelType, configuration.headSize)
  }

  /// Bytes of all keys and values at one position.
  package var bytesPerPosition: Int { 2 * layerCount * headCount * rowBytes }

  package var blockBytes: Int { Self.blockPositions * bytesPerPosition }

  /// The number of blocks for `positions` positions.
  package static func blocks(_ positions: Int) -> Int { (positions + blockPositions - 1) / blockPositions }

  /// Byte offset of a head's keys in a block.
  func keys(_ layer: Int, head: Int) -> Int { (2 * layer * headCount + head) * Self.blockPositions * rowBytes }

  func values(_ layer: Int, head: Int) -> Int { ((2 * layer + 1) * headCount + head) * Self.blockPositions * rowBytes }
}
