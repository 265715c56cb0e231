// SPDX-License-Identifier: Apache-2.0
/// Where a graph's constants come from.
package protocol TensorSource {
  /// The `count` values of a tensor, in the order of the file, the last dimension varying fastest.
  /// - Throws: `ClassifierError.invalidModel` where there is no such tensor, or it has another number of values. Memory is
  ///   taken only after that was checked.
  func floats(_ name: String, count: Int) throws(ClassifierError) -> [Float]
}

extension TensorSource {
  /// The same, all of them finite.
  /// - Throws: `ClassifierError.invalidModel`.
  func finite(_ name: String, count: Int) throws(ClassifierError) -> [Float] {
    let values = try floats(name, count: count)
    guard values.count == count else {
      throw .invalidModel("tensor \(name) has \(values.count) values, not \(count)")
    }
    guard values.allSatisfy(\.isFinite) else {
      throw .invalidModel("tensor \(name) holds a value that is not finite")
    }
    return values
  }
}
