// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// A weight matrix in memory: `rows` vectors of `columns` elements. It does not own the bytes; their owner must outlive it.
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

  /// Bytes in this layout, with the padding of the last interleaved group.
  var byteCount: Int { (layout == .interleaved ? WeightInterleaving.paddedRows(rows) : rows) * rowBytes }

  /// `count` rows from `first` on. In interleaved weights `first` must begin a group.
  func weights(from first: Int, count: Int) -> pk_weights {
    pk_weights(
      type: type.kernelType, layout: layout.kernelLayout, bytes: bytes + first * rowBytes, row_bytes: rowBytes,
      rows: count)
  }

  /// Writes row `index` as floats to `values`. `block` is scratch of `rowBytes` bytes.
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
