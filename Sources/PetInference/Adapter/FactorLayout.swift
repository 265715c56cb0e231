// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Lays out the factors of an adapter for products.
struct FactorLayout: ~Copyable {
  private let adapter: LowRankAdapter
  private let kernels: UnsafePointer<pk_kernels> = pk_kernels_best()
  private(set) var arena = Arena()
  /// The largest rank so far.
  private(set) var rank = 1

  /// The largest finite F16.
  private static let largestHalf: Float = 65504

  init(_ adapter: LowRankAdapter) { self.adapter = adapter }

  /// The factors of a matrix that is multiplied with; nil where the adapter does not change it.
  /// - Throws: `AdapterError` for a value that is not finite; `InferenceError.notEnoughMemory`.
  mutating func product(_ name: String, firstRow: Int) throws -> LowRankFactors? {
    guard let factors = adapter.factors(of: name) else { return nil }
    rank = max(rank, factors.rank)
    let columns = try adapter.values(of: factors.columns)
    return LowRankFactors(
      a: try matrix(
        factors.isTransposed ? Self.turned(columns, rows: factors.rank) : columns, factors.columns.type,
        rows: factors.rank),
      b: try interleaved(factors.rows, rank: factors.rank), scale: adapter.scale(rank: factors.rank), firstRow: firstRow
    )
  }

  /// The factors of a matrix whose rows are looked up; nil where the adapter does not change it.
  mutating func lookUp(_ name: String) throws -> LowRankFactors? {
    guard let factors = adapter.factors(of: name) else { return nil }
    rank = max(rank, factors.rank)
    return LowRankFactors(
      a: try interleaved(factors.rows, rank: factors.rank), b: try interleaved(factors.columns, rank: factors.rank),
      scale: adapter.scale(rank: factors.rank), firstRow: 0)
  }

  /// Transposes [columns][rows] to [rows][columns].
  private static func turned(_ values: [Float], rows: Int) -> [Float] {
    let columns = values.count / rows
    return (0..<values.count).map { values[$0 % columns * rows + $0 / columns] }
  }

  private mutating func interleaved(_ tensor: GGUFTensor, rank: Int) throws -> QuantizedMatrix {
    let values = try adapter.values(of: tensor)
    let rows = values.count / rank
    let plain = stored(values, tensor.type)
    let place = try arena.take(UInt8.self, WeightInterleaving.paddedRows(rows) * plain.type.bytes(ofRow: rank))
    WeightInterleaving.interleave(plain.bytes, type: plain.type, rows: rows, columns: rank, into: place, with: kernels)
    return QuantizedMatrix(type: plain.type, rows: rows, columns: rank, bytes: place, layout: .interleaved)
  }

  private mutating func matrix(_ values: [Float], _ type: TensorType, rows: Int) throws -> QuantizedMatrix {
    let plain = stored(values, type)
    let place = try arena.take(UInt8.self, plain.bytes.count)
    place.update(from: plain.bytes, count: plain.bytes.count)
    return QuantizedMatrix(type: plain.type, rows: rows, columns: values.count / rows, bytes: place)
  }

  /// Values in the type that they are stored in: F32 and BF16 unchanged, others as F16 where they fit, else F32.
  private func stored(_ values: [Float], _ type: TensorType) -> (type: TensorType, bytes: [UInt8]) {
    switch type {
    case .f32: return (.f32, values.withUnsafeBytes(Array.init))
    case .bf16: return (.bf16, values.map { UInt16($0.bitPattern >> 16) }.withUnsafeBytes(Array.init))
    default:
      guard values.allSatisfy({ $0.magnitude <= Self.largestHalf }) else {
        return (.f32, values.withUnsafeBytes(Array.init))
      }
      var halves = [UInt16](repeating: 0, count: values.count)
      kernels.pointee.narrow_to_f16(values, &halves, values.count)
      return (.f16, halves.withUnsafeBytes(Array.init))
    }
  }
}
