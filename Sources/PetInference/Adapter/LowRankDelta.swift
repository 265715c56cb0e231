// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// What an adapter adds to one matrix: `scale` times the product of two low-rank factors.
///
/// The arithmetic of one element is fixed: products are summed from 0 in the order of the rank, each multiplication and
/// addition is rounded separately, and the sum is scaled at the end. So equal files give equal bytes on every machine.
package struct LowRankDelta {
  package let rank: Int
  package let columns: Int
  package let scale: Float
  /// [rank][columns]
  private let columnFactor: [Float]
  /// [rank] per row of the matrix, in the file's type.
  private let rowFactor: GGUFTensor
  private let file: GGUFFile
  private let kernels = pk_kernels_best().pointee

  init(_ factors: LowRankAdapter.Factors, scale: Float, file: GGUFFile) throws(AdapterError) {
    rank = factors.rank
    self.scale = scale
    self.file = file
    rowFactor = factors.rows
    var values = try file.finiteValues(of: factors.columns)
    columns = values.count / rank
    if factors.isTransposed {
      var turned = [Float](repeating: 0, count: values.count)
      for column in 0..<columns {
        for k in 0..<rank { turned[k * columns + column] = values[column * rank + k] }
      }
      values = turned
    }
    columnFactor = values
  }

  /// Adds the delta to elements of the matrix, given row after row: `values[0]` is element `first`, counted through all
  /// rows. O(count * rank).
  ///
  /// - Throws: `AdapterError` where the adapter has a value that is not finite.
  package func add(to values: UnsafeMutableBufferPointer<Float>, from first: Int) throws(AdapterError) {
    var row = [Float](repeating: 0, count: rank)
    var done = 0
    while done < values.count {
      let (index, column) = (first + done).quotientAndRemainder(dividingBy: columns)
      let count = min(columns - column, values.count - done)
      read(row: index, into: &row)
      if let k = row.firstIndex(where: { !$0.isFinite }) {
        throw file.refused(.notFinite(tensor: rowFactor.name, element: index * rank + k))
      }
      add(row: row, column: column, to: UnsafeMutableBufferPointer(rebasing: values[done..<done + count]))
      done += count
    }
  }

  private func read(row index: Int, into row: inout [Float]) {
    let size = rank / rowFactor.type.blockElements * rowFactor.type.blockBytes
    let bytes = UnsafeRawBufferPointer(rebasing: file.data(of: rowFactor)[index * size..<(index + 1) * size])
    kernels.dequantize(rowFactor.type.kernelType, bytes.baseAddress, &row, rank)
  }

  /// Adds scale * row * columnFactor to one row of the matrix, from `column` on.
  private func add(row: [Float], column: Int, to values: UnsafeMutableBufferPointer<Float>) {
    typealias Lanes = SIMD16<Float>
    let width = Lanes.scalarCount
    let whole = values.count / width * width
    let target = UnsafeMutableRawBufferPointer(values)
    columnFactor.withUnsafeBytes { factor in
      row.withUnsafeBufferPointer { row in
        for start in stride(from: 0, to: whole, by: width) {
          var sum = Lanes()
          var offset = (column + start) * 4
          for k in 0..<rank {
            sum += factor.loadUnaligned(fromByteOffset: offset, as: Lanes.self) * row[k]
            offset += columns * 4
          }
          let old = target.loadUnaligned(fromByteOffset: start * 4, as: Lanes.self)
          target.storeBytes(of: old + sum * scale, toByteOffset: start * 4, as: Lanes.self)
        }
      }
    }
    for place in whole..<values.count {
      var sum: Float = 0
      for k in 0..<rank { sum += columnFactor[k * columns + column + place] * row[k] }
      values[place] += sum * scale
    }
  }
}
