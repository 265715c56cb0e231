// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Consecutive rows of a pass with the same adapter.
struct AdaptedRows {
  /// Most rows that are computed together: their sums stay in the cache.
  static let most = 32

  /// Indexed by `AdapterSite`. Unretained: the caller holds the adapter for the pass.
  let stacks: UnsafePointer<LowRankStack>
  let firstRow: Int
  var count: Int
}

/// The low-rank part of one product, for the rows with an adapter: scale * B (A x). `reduce` computes scale * A x of all rows; then
/// each chunk of the product adds its rows of B times that. The result of a row does not depend on the others.
struct LowRankProduct {
  let kernels: UnsafePointer<pk_kernels>
  let adapted: UnsafeBufferPointer<AdaptedRows>
  let site: AdapterSite
  let input: UnsafePointer<Float>  // [rows, columns]
  let columns: Int
  let memory: AdapterMemory

  /// Weight rows that are computed together; whole groups.
  static let step = 256

  /// Computes scale * A x.
  mutating func reduce(on pool: ThreadPool) {
    pool.run(chunks: adapted.count * LowRankStack.parts, over: &self) { context, _, chunk in
      let (index, part) = chunk.quotientAndRemainder(dividingBy: LowRankStack.parts)
      context.assumingMemoryBound(to: LowRankProduct.self).pointee.reduce(index, part)
    }
  }

  private func reduce(_ index: Int, _ part: Int) {
    let rows = adapted[index]
    guard let factors = rows.stacks[site.index][part] else { return }
    var weights = factors.a.weights(from: 0, count: factors.rank)
    var input = Self.activations(input + rows.firstRow * columns, rows: rows.count, columns: columns)
    let out = memory.reduced(part, row: rows.firstRow)
    kernels.pointee.matmul(&weights, &input, out, factors.rank)
    for place in 0..<rows.count * factors.rank { out[place] *= factors.scale }
  }

  /// The same for the embedding: looks up the rows of A at `tokens`.
  func lookUp(_ tokens: UnsafePointer<Int32>) {
    for rows in adapted {
      guard let factors = rows.stacks[site.index][0] else { continue }
      let out = memory.reduced(0, row: rows.firstRow)
      for row in 0..<rows.count {
        let values = out + row * factors.rank
        factors.a.dequantize(
          row: Int(tokens[rows.firstRow + row]), with: kernels, block: memory.sums[0], into: values)
        for place in 0..<factors.rank { values[place] *= factors.scale }
      }
    }
  }

  /// Adds B times the reduced rows to `count` columns of the product from `first` on. `out` is their place in the pass's first
  /// row; rows are `stride` floats apart.
  func add(_ worker: Int, first: Int, count: Int, to out: UnsafeMutablePointer<Float>, stride: Int) {
    for rows in adapted {
      let stack = rows.stacks + site.index
      guard !stack.pointee.isEmpty else { continue }
      for part in 0..<LowRankStack.parts {
        guard let factors = stack.pointee[part] else { continue }
        let start = max(first - factors.firstRow, 0)
        let end = min(first + count - factors.firstRow, factors.b.rows)
        guard start < end else { continue }
        add(
          worker, rows, factors, part, start..<end, to: out + rows.firstRow * stride + factors.firstRow - first,
          stride: stride)
      }
    }
  }

  /// - Parameter out: the place of row 0 of B.
  private func add(
    _ worker: Int, _ rows: AdaptedRows, _ factors: LowRankFactors, _ part: Int, _ range: Range<Int>,
    to out: UnsafeMutablePointer<Float>, stride: Int
  ) {
    let sums = memory.sums[worker]
    var input = Self.activations(
      memory.reduced(part, row: rows.firstRow), rows: rows.count, columns: factors.rank)
    // Reads of B start with a group.
    var from = range.lowerBound / Int(PK_GROUP_ROWS) * Int(PK_GROUP_ROWS)
    while from < range.upperBound {
      let end = min(from + Self.step, range.upperBound)
      let begin = max(from, range.lowerBound)
      var weights = factors.b.weights(from: from, count: end - from)
      kernels.pointee.matmul(&weights, &input, sums, Self.step)
      for row in 0..<rows.count {
        kernels.pointee.add(out + row * stride + begin, sums + row * Self.step + begin - from, end - begin)
      }
      from = end
    }
  }

  private static func activations(_ values: UnsafePointer<Float>, rows: Int, columns: Int) -> pk_activations {
    pk_activations(rows: rows, columns: columns, values: values, quants: nil, scales: nil, sums: nil)
  }
}
