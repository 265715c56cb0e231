// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetFiles

/// What one thread does to a run of a tensor's elements: read them, add an adapter's delta, quantize.
final class ChunkQuantizer {
  private let source: RandomAccessFile
  private let kernels = pk_kernels_best().pointee
  /// Reused from chunk to chunk: elements as the file has them, and as numbers.
  private var stored: [UInt8] = []
  private var values: [Float] = []

  init(_ source: RandomAccessFile) {
    self.source = source
  }

  /// Writes `elements` of `tensor`, which begin and end with blocks of both types, to `output`.
  ///
  /// - Throws: `QuantizationError`, `AdapterError`, `FileError`
  func quantize(
    _ tensor: GGUFTensor, _ elements: Range<Int>, as type: QuantizationType, plus delta: LowRankDelta?,
    into output: UnsafeMutableRawBufferPointer
  ) throws {
    try load(tensor, elements)
    try values.withUnsafeMutableBufferPointer { values in
      let values = UnsafeMutableBufferPointer(rebasing: values[..<elements.count])
      if let bad = Quantizer.firstElement(of: UnsafeBufferPointer(values), notBelow: Float.infinity.bitPattern) {
        throw notFinite(tensor, elements.lowerBound + bad, values[bad])
      }
      try delta?.add(to: values, from: elements.lowerBound)
      guard let bad = Quantizer.quantize(UnsafeBufferPointer(values), as: type, into: output) else { return }
      let element = elements.lowerBound + bad
      guard values[bad].isFinite else { throw notFinite(tensor, element, values[bad]) }
      throw QuantizationError.notRepresentable(
        path: source.path, tensor: tensor.name, element: element, value: values[bad], type: type)
    }
  }

  private func notFinite(_ tensor: GGUFTensor, _ element: Int, _ value: Float) -> QuantizationError {
    .notFinite(path: source.path, tensor: tensor.name, element: element, value: value)
  }

  /// Fills `values`.
  private func load(_ tensor: GGUFTensor, _ elements: Range<Int>) throws {
    let type = tensor.type
    let offset = elements.lowerBound / type.blockElements * type.blockBytes
    let size = elements.count / type.blockElements * type.blockBytes
    if stored.count < size { stored = [UInt8](repeating: 0, count: size) }
    if values.count < elements.count { values = [Float](repeating: 0, count: elements.count) }
    try stored.withUnsafeMutableBytes {
      try source.read(at: tensor.bytes.lowerBound + offset, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<size]))
    }
    stored.withUnsafeBytes { bytes in
      values.withUnsafeMutableBufferPointer { target in
        kernels.dequantize(type.kernelType, bytes.baseAddress, target.baseAddress, elements.count)
      }
    }
  }
}
