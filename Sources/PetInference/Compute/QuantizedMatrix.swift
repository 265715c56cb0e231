// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// A weight matrix in memory: `rows` vectors of `columns` elements. It does not own the bytes; what maps or holds them must
/// outlive it.
struct QuantizedMatrix: @unchecked Sendable {  // read-only memory
  let type: TensorType
  let rows: Int
  let columns: Int
  let bytes: UnsafeRawPointer
  let rowBytes: Int
  /// Groups of 16 rows have their fields side by side (`PK_INTERLEAVED`), as the kernels like it best.
  let isInterleaved: Bool

  init(type: TensorType, rows: Int, columns: Int, bytes: UnsafeRawPointer, isInterleaved: Bool = false) {
    self.type = type
    self.rows = rows
    self.columns = columns
    self.bytes = bytes
    self.isInterleaved = isInterleaved
    rowBytes = columns / type.blockElements * type.blockBytes
  }

  /// Bytes in this layout; interleaved, the last group is whole.
  var byteCount: Int { (isInterleaved ? Self.interleavedRows(rows) : rows) * rowBytes }

  /// Halves of a fused matrix, and chunks of a few rows, must start with a group.
  static func canBeInterleaved(rows: Int) -> Bool { rows % (2 * Int(PK_GROUP_ROWS)) == 0 }

  static func interleavedRows(_ rows: Int) -> Int {
    let group = Int(PK_GROUP_ROWS)
    return (rows + group - 1) / group * group
  }

  /// `count` rows from `first` on, which is the first of a group where groups are interleaved.
  func weights(from first: Int, count: Int) -> pk_weights {
    pk_weights(
      type: type.kernelType, layout: isInterleaved ? PK_INTERLEAVED : PK_ROWS, bytes: bytes + first * rowBytes,
      row_bytes: rowBytes, rows: count)
  }

  /// Row `index` as floats; `block` has room for a row as stored.
  func dequantize(
    row index: Int, with kernels: UnsafePointer<pk_kernels>, block: UnsafeMutableRawPointer,
    into values: UnsafeMutablePointer<Float>
  ) {
    guard isInterleaved else {
      return kernels.pointee.dequantize(type.kernelType, bytes + index * rowBytes, values, columns)
    }
    pk_interleaved_row(type.kernelType, bytes, index, columns, block)
    kernels.pointee.dequantize(type.kernelType, block, values, columns)
  }
}
