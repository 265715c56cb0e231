// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetInference

/// The tensors of a GGUF file of architecture `pet-graph`, and the graph that it describes.
///
/// A tensor with many zeros stands without them: the array `graph.mask.NAME` has a bit for each element, lowest first,
/// which is set where the tensor has its value. Tensors are filled up to a whole block. Where there is a number
/// `graph.factor.NAME`, all values are multiplied by it.
public struct GGUFWeights: TensorSource, Sendable {
  package static let architecture = "pet-graph"

  private let file: GGUFFile

  public init(_ file: GGUFFile) { self.file = file }

  /// The graph, checked.
  /// - Throws: `invalidModel`.
  package func graph() throws(ClassifierError) -> Graph {
    try require(architecture: Self.architecture)
    return try Graph(json: Array(try text("graph.definition").utf8))
  }

  /// - Throws: `invalidModel` where the file is of another architecture.
  func require(architecture: String) throws(ClassifierError) {
    guard try text("general.architecture") == architecture else {
      throw .invalidModel("\(file.path) is not of architecture \(architecture)")
    }
  }

  /// A text of the metadata.
  /// - Throws: `invalidModel` where there is none.
  func text(_ key: String) throws(ClassifierError) -> String {
    do {
      return try file.require(key, file.string(key))
    } catch {
      throw .invalidModel("\(error)")
    }
  }

  package func floats(_ name: String, count: Int) throws(ClassifierError) -> [Float] {
    guard let tensor = file.tensors[name] else { throw .invalidModel("there is no tensor \"\(name)\"") }
    guard case .array(let type, let byteCount, let bytes) = file.metadata["graph.mask.\(name)"] else {
      return try stored(tensor, count: count)
    }
    guard type == .uint8, byteCount == (count + 7) / 8, bytes.count == byteCount else {
      throw .invalidModel("the mask of tensor \"\(name)\" has not one bit for each of \(count) elements")
    }
    let mask = bytes.withUnsafeBytes { Array($0) }
    let present = (0..<count).filter { mask[$0 / 8] & 1 << ($0 % 8) != 0 }
    var result = [Float](repeating: 0, count: count)
    for (value, index) in zip(try stored(tensor, count: present.count), present) { result[index] = value }
    return result
  }

  /// The first `count` values of a tensor as it stands in the file, which is as many filled up to a whole block.
  private func stored(_ tensor: GGUFTensor, count: Int) throws(ClassifierError) -> [Float] {
    guard [.f32, .f16, .q8_0].contains(tensor.type) else {
      throw .invalidModel("tensor \"\(tensor.name)\" is \(tensor.type.name); F32, F16 and Q8_0 can be used")
    }
    let elements = tensor.dimensions.reduce(1, *)  // the file was checked: its bytes are there
    let block = tensor.type.blockElements
    guard elements - count >= 0, elements - count < block, elements % block == 0 else {
      throw .invalidModel("tensor \"\(tensor.name)\" has \(elements) elements instead of \(count)")
    }
    let data = file.data(of: tensor)
    guard count > 0, let bytes = data.baseAddress else { return [] }
    var values = withExtendedLifetime(file) {
      [Float](unsafeUninitializedCapacity: elements) { values, initialized in
        guard let destination = values.baseAddress else { return }
        pk_kernels_best().pointee.dequantize(tensor.type.kernelType, bytes, destination, elements)
        initialized = elements
      }
    }
    values.removeLast(elements - count)
    guard let factor = try factor(of: tensor) else { return values }
    return values.map { $0 * factor }
  }

  private func factor(of tensor: GGUFTensor) throws(ClassifierError) -> Float? {
    do {
      return try file.float("graph.factor.\(tensor.name)")
    } catch {
      throw .invalidModel("\(error)")
    }
  }
}
