// SPDX-License-Identifier: Apache-2.0
/// Eight blocks of equal length: `values[i]` holds element i of each.
struct BlockGroup {
  let values: UnsafeMutableBufferPointer<BlockLanes>
  /// How much the square of an element's error counts.
  let weights: UnsafeMutableBufferPointer<BlockLanes>

  /// The least range or magnitude that leaves anything behind in a super-block: its scale is a multiple of 2^-24.
  static let least: Float = 0x1p-32

  /// - Parameter elements: those of the blocks, one block after the other.
  @inline(__always)
  func load(_ elements: UnsafeBufferPointer<Float>) {
    for i in 0..<values.count {
      var lanes = BlockLanes()
      for j in 0..<8 { lanes[j] = elements[j * values.count + i] }
      values[i] = lanes
    }
  }

  /// The larger a number, the more it counts; the mean is added so that small ones count as well.
  @inline(__always)
  func weighByMagnitude() {
    let root = meanSquare().squareRoot()
    for i in 0..<values.count { weights[i] = root + values[i].magnitudes }
  }

  /// The same with squares.
  @inline(__always)
  func weighBySquare() {
    let mean = meanSquare()
    for i in 0..<values.count { weights[i] = mean + values[i] * values[i] }
  }

  @inline(__always)
  private func meanSquare() -> BlockLanes {
    var squares = BlockLanes()
    for value in values { squares += value * value }
    return squares / Float(values.count)
  }
}

/// Memory in which groups of 256 values are worked on, one after the other.
struct BlockScratch {
  private static let vectors = 32

  private let values: UnsafeMutableBufferPointer<BlockLanes>
  private let weights: UnsafeMutableBufferPointer<BlockLanes>
  /// As many vectors as the longest group has.
  let heights: UnsafeMutableBufferPointer<BlockLanes>
  /// [256], block after block.
  let levels: UnsafeMutableBufferPointer<UInt8>

  static func with<Result>(_ body: (BlockScratch) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: BlockLanes.self, capacity: 3 * vectors) { lanes in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 8 * vectors) { levels in
        func part(_ index: Int) -> UnsafeMutableBufferPointer<BlockLanes> {
          UnsafeMutableBufferPointer(rebasing: lanes[(index * vectors)..<((index + 1) * vectors)])
        }
        return body(BlockScratch(values: part(0), weights: part(1), heights: part(2), levels: levels))
      }
    }
  }

  /// Blocks 8 * index to 8 * index + 7, of `length` elements each.
  @inline(__always)
  func group(_ index: Int, length: Int) -> BlockGroup {
    let range = (index * length)..<((index + 1) * length)
    return BlockGroup(
      values: UnsafeMutableBufferPointer(rebasing: values[range]),
      weights: UnsafeMutableBufferPointer(rebasing: weights[range]))
  }

  /// Stores the levels of one element of the blocks 8 * group to 8 * group + 7.
  @inline(__always)
  func setLevels(_ lanes: SIMD8<UInt8>, element: Int, group: Int = 0, length: Int) {
    for j in 0..<8 { levels[(group * 8 + j) * length + element] = lanes[j] }
  }
}
