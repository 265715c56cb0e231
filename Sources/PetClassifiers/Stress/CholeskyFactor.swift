// SPDX-License-Identifier: Apache-2.0
/// A symmetric, positive definite matrix A as L L^T, L lower triangular.
struct CholeskyFactor {
  let size: Int
  /// L by rows (size x size); what is above the diagonal has no meaning.
  private var lower: [Double]

  /// Nil where the matrix (size x size, by rows; only its lower half is read) is not positive definite. O(size³).
  init?(_ matrix: [Double], size: Int) {
    self.size = size
    lower = matrix
    for row in 0..<size {
      for column in 0...row {
        var rest = lower[row * size + column]
        for k in 0..<column { rest -= lower[row * size + k] * lower[column * size + k] }
        if column < row {
          lower[row * size + column] = rest / lower[column * size + column]
        } else {
          // Smaller is nothing but rounding.
          guard rest > 1e-9 * matrix[row * size + row], rest.isFinite else { return nil }
          lower[row * size + row] = rest.squareRoot()
        }
      }
    }
  }

  /// x of A x = `right`. O(size²).
  func solve(_ right: [Double]) -> [Double] {
    var x = right
    for row in 0..<size {
      for k in 0..<row { x[row] -= lower[row * size + k] * x[k] }
      x[row] /= lower[row * size + row]
    }
    for row in (0..<size).reversed() {
      for k in row + 1..<size { x[row] -= lower[k * size + row] * x[k] }
      x[row] /= lower[row * size + row]
    }
    return x
  }
}
