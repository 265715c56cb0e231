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
  let layout: WeightLayout

  init(type: TensorType, rows: Int, columns: Int, bytes: UnsafeRawPointer, layout: WeightLayout = .rowMajor) {
    self.type = type
    self.rows = rows
    self.columns = columns
    self.bytes = bytes
    self.layout = layout
    rowBytes = type.bytes(ofRow: columns)
  }

  /// Bytes in this layout; interleaved, the last group is whole.
  var byteCount: Int { (layout == .interleaved ? WeightInterleaving.paddedRows(rows) : rows) * rowBytes }

  /// `count` rows from `first` on; interleaved, `first` begins a group.
  func weights(from first: Int, count: Int) -> pk_weights {
    pk_weights(
      type: type.kernelType, layout: layout.kernelLayout, bytes: bytes + first * rowBytes, row_bytes: rowBytes,
      rows: count)
  }

  /// Row `index` as floats; `block` has room for the bytes of a row.
  func dequantize(
    row index: Int, with kernels: UnsafePointer<pk_kernels>, block: UnsafeMutableRawPointer,
    into values: UnsafeMutablePointer<Float>
  ) {
    guard layout == .interleaved else {
      return kernels.pointee.dequantize(type.kernelType, bytes + index * rowBytes, values, columns)
    }
    pk_interleaved_row(type.kernelType, bytes, index, columns, block)
    kernels.pointee.dequantize(type.kernelType, block, values, columns)
  }
}
