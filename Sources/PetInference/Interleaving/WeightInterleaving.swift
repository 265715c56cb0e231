// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Turns row-major weights into interleaved ones: for copies in memory (`InterleavedCopies`), for files
/// (`InterleavedFileWriter`), for adapters (`FactorLayout`). Nothing else interleaves.
enum WeightInterleaving {
  /// Rows of a group.
  static let groupRows = Int(PK_GROUP_ROWS)

  /// Whether a matrix of `rows` rows can be interleaved: halves of a fused matrix, and chunks of a few rows, must start with
  /// a group.
  static func fits(rows: Int) -> Bool { rows % (2 * groupRows) == 0 }

  /// `rows`, and the rows of zeros that complete the last group.
  static func paddedRows(_ rows: Int) -> Int { (rows + groupRows - 1) / groupRows * groupRows }

  /// Interleaves `rows` rows of `columns` elements each. O(bytes). The bytes are the same for all kernels.
  ///
  /// - Parameters:
  ///   - source: row-major, without gaps between the rows.
  ///   - destination: where a group begins, with room for `paddedRows(rows)` rows. Does not overlap `source`.
  static func interleave(
    _ source: UnsafeRawPointer, type: TensorType, rows: Int, columns: Int, into destination: UnsafeMutableRawPointer,
    with kernels: UnsafePointer<pk_kernels>
  ) {
    kernels.pointee.interleave(type.kernelType, source, type.bytes(ofRow: columns), rows, columns, destination)
  }
}
