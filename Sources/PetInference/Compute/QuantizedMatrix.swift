import CPetKernels

/// A weight matrix as it lies in memory: `rows` vectors of `columns` elements, row after row. It does not own the bytes;
/// the mapped file behind them must outlive it.
struct QuantizedMatrix: @unchecked Sendable {  // read-only memory
  let type: TensorType
  let rows: Int
  let columns: Int
  let bytes: UnsafeRawPointer
  let rowBytes: Int

  init(type: TensorType, rows: Int, columns: Int, bytes: UnsafeRawPointer) {
    self.type = type
    self.rows = rows
    self.columns = columns
    self.bytes = bytes
    rowBytes = columns / type.blockElements * type.blockBytes
  }

  func row(_ index: Int) -> UnsafeRawPointer { bytes + index * rowBytes }
}
