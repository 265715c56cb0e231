// SPDX-License-Identifier: Apache-2.0
/// Finds the tensors of a file by name and shape, and keeps track of those that were not requested.
struct TensorFinder {
  private let file: GGUFFile
  private let isInterleaved: Bool
  private var rest: Set<String>

  /// - Throws: `GGUFError` where the keys of an interleaved file are wrong.
  init(file: GGUFFile) throws(GGUFError) {
    self.file = file
    isInterleaved = try InterleavedFormat(file: file) != nil
    rest = Set(file.tensorNames)
  }

  func has(_ name: String) -> Bool { file.tensors[name] != nil }

  mutating func matrix(_ name: String, rows: Int, columns: Int) throws(GGUFError) -> QuantizedMatrix {
    let tensor = try find(name, shape: [columns, rows])
    guard let bytes = file.data(of: tensor).baseAddress else { throw file.error(.missingTensor(name)) }
    return QuantizedMatrix(
      type: tensor.type, rows: rows, columns: columns, bytes: bytes,
      layout: isInterleaved ? try InterleavedFormat.layout(of: tensor, in: file) : .rowMajor)
  }

  /// A vector of 32-bit floats in the mapped file. The parser has checked that tensors are aligned.
  ///
  /// Touches no page of the tensor: a cold file is read while the first tokens are computed, not before.
  mutating func vector(_ name: String, count: Int) throws(GGUFError) -> UnsafePointer<Float> {
    let tensor = try find(name, shape: [count])
    guard tensor.type == .f32 else {
      throw file.error(.tensorType(tensor: name, found: tensor.type.name, expected: "F32"))
    }
    guard let bytes = file.data(of: tensor).baseAddress else { throw file.error(.missingTensor(name)) }
    return bytes.assumingMemoryBound(to: Float.self)
  }

  /// Marks tensors as requested.
  mutating func take(_ names: [String]) { rest.subtract(names) }

  func refuseRest() throws(GGUFError) {
    if let name = rest.min() { throw file.error(.unexpectedTensor(name)) }
  }

  private mutating func find(_ name: String, shape: [Int]) throws(GGUFError) -> GGUFTensor {
    guard let tensor = file.tensors[name] else { throw file.error(.missingTensor(name)) }
    // Trailing dimensions of 1 are insignificant.
    var dimensions = tensor.dimensions
    while dimensions.count > shape.count, dimensions.last == 1 { dimensions.removeLast() }
    guard dimensions == shape else {
      throw file.error(.tensorShape(tensor: name, found: tensor.dimensions, expected: shape))
    }
    rest.remove(name)
    return tensor
  }
}
