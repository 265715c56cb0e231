// SPDX-License-Identifier: Apache-2.0
/// Up to three matrices with a common input and concatenated outputs: query, key and value, or gate and up. A trivial type:
/// copies count no references.
struct MatrixStack {
  let first: QuantizedMatrix
  let second: QuantizedMatrix?
  let third: QuantizedMatrix?
  let rows: Int
  let columns: Int
  /// Whether a product needs the input quantized.
  let isQuantized: Bool

  init(_ first: QuantizedMatrix, _ second: QuantizedMatrix? = nil, _ third: QuantizedMatrix? = nil) {
    self.first = first
    self.second = second
    self.third = third
    rows = first.rows + (second?.rows ?? 0) + (third?.rows ?? 0)
    columns = first.columns
    isQuantized = first.type.isQuantized || second?.type.isQuantized == true || third?.type.isQuantized == true
  }

  var matrices: [QuantizedMatrix] { [first, second, third].compactMap(\.self) }

  var byteCount: Int { first.byteCount + (second?.byteCount ?? 0) + (third?.byteCount ?? 0) }

  /// Calls `body` with each matrix and the number of its first row in the stack.
  @inline(__always)
  func forEach(_ body: (QuantizedMatrix, Int) -> Void) {
    body(first, 0)
    if let second {
      body(second, first.rows)
      if let third { body(third, first.rows + second.rows) }
    }
  }
}
