// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Streams tensors from safetensors to GGUF, some rows at a time.
struct TensorConverter {
  /// Bytes of stored values that are handled at once, where a row is not larger.
  private static let chunkSize = 1 << 20

  private let kernels: pk_kernels = pk_kernels_best().pointee
  /// Reused for every tensor: stored bytes, the same as F32, and as written.
  private var stored: [UInt8] = []
  private var values: [Float] = []
  private var narrow: [UInt16] = []

  /// Writes tensor `index` of `writer`; `advance` receives the bytes written.
  ///
  /// - Throws: `FileError`, `GGUFWriteError`, `ImportError.notRepresentable`
  mutating func write(
    _ tensor: PlannedTensor, index: Int, to writer: GGUFWriter, advance: (Int) -> Void
  ) throws {
    switch tensor.source {
    case .values(let values):
      try values.withUnsafeBytes { try writer.append($0, toTensor: index) }
      advance(tensor.declaration.byteCount)
    case .file(let entry, let order):
      let columns = tensor.declaration.dimensions[0]
      let rows = tensor.declaration.dimensions.count > 1 ? tensor.declaration.dimensions[1] : 1
      let rowBytes = columns * entry.tensor.type.byteCount
      let step = max(1, Self.chunkSize / rowBytes)
      for first in stride(from: 0, to: rows, by: step) {
        let count = min(step, rows - first)
        try read(entry, rows: first..<first + count, rowBytes: rowBytes, order: order)
        let written = try append(
          entry, firstElement: first * columns, count: count * columns, as: tensor.declaration.type, index, writer)
        advance(written)
      }
    }
  }

  /// Fills `stored` with rows in the order of the output.
  private mutating func read(
    _ entry: WeightFolder.Entry, rows: Range<Int>, rowBytes: Int, order: RowOrder
  ) throws {
    let size = rows.count * rowBytes
    if stored.count < size { stored = [UInt8](repeating: 0, count: size) }
    try stored.withUnsafeMutableBytes { buffer in
      if order == .asStored {
        try entry.file.read(
          entry.tensor, at: rows.lowerBound * rowBytes, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]))
        return
      }
      for (place, row) in rows.enumerated() {
        let target = buffer[place * rowBytes..<(place + 1) * rowBytes]
        try entry.file.read(
          entry.tensor, at: order.source(of: row) * rowBytes, into: UnsafeMutableRawBufferPointer(rebasing: target))
      }
    }
  }

  private mutating func append(
    _ entry: WeightFolder.Entry, firstElement: Int, count: Int, as type: pk_type, _ index: Int, _ writer: GGUFWriter
  ) throws -> Int {
    let storedType = entry.tensor.type
    if WeightPrecision.keep.type(for: storedType) == type {
      let size = count * storedType.byteCount
      try stored.withUnsafeBytes { try writer.append(UnsafeRawBufferPointer(rebasing: $0[..<size]), toTensor: index) }
      return size
    }
    widen(storedType, count: count)
    if type == PK_F32 {
      try values.withUnsafeBytes {
        try writer.append(UnsafeRawBufferPointer(rebasing: $0[..<(count * 4)]), toTensor: index)
      }
      return count * 4
    }
    try checkRange(entry, firstElement: firstElement, count: count, type: type)
    if narrow.count < count { narrow = [UInt16](repeating: 0, count: count) }
    if type == PK_F16 {
      values.withUnsafeBufferPointer { source in
        narrow.withUnsafeMutableBufferPointer { target in
          kernels.narrow_to_f16(source.baseAddress, target.baseAddress, count)
        }
      }
    } else {
      for i in 0..<count { narrow[i] = roundedToBF16(values[i]) }
    }
    try narrow.withUnsafeBytes {
      try writer.append(UnsafeRawBufferPointer(rebasing: $0[..<(count * 2)]), toTensor: index)
    }
    return count * 2
  }

  /// Fills `values` from `stored`; exact.
  private mutating func widen(_ type: SafetensorsType, count: Int) {
    if values.count < count { values = [Float](repeating: 0, count: count) }
    let kernelType = WeightPrecision.keep.type(for: type)
    stored.withUnsafeBytes { source in
      values.withUnsafeMutableBufferPointer { target in
        kernels.dequantize(kernelType, source.baseAddress, target.baseAddress, count)
      }
    }
  }

  /// Narrowing rounds; it must not turn numbers into infinities.
  private func checkRange(_ entry: WeightFolder.Entry, firstElement: Int, count: Int, type: pk_type) throws {
    // The first magnitudes that round to infinity: half a step above the largest number.
    let limit: Float = type == PK_F16 ? 65520 : Float(bitPattern: 0x7f7f_8000)
    guard let element = values[..<count].firstIndex(where: { !($0.magnitude < limit) }) else { return }
    throw ImportError.notRepresentable(
      path: entry.file.path, tensor: entry.tensor.name, element: firstElement + element, value: values[element],
      type: type == PK_F16 ? "f16" : "bf16")
  }
}

/// The upper half of a finite float, rounded to nearest, ties to even.
package func roundedToBF16(_ value: Float) -> UInt16 {
  let bits = value.bitPattern
  return UInt16(truncatingIfNeeded: (bits &+ 0x7fff &+ (bits >> 16 & 1)) >> 16)
}
