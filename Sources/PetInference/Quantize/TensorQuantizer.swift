import CPetKernels

/// Streams tensors from one GGUF file into another, changing their type and adding an adapter's delta on the way.
/// Memory: about 3 MiB, and one factor of a delta.
package struct TensorQuantizer {
  /// Elements that are handled at once: whole blocks of every type.
  private static let chunk = 1 << 18
  private static let copySize = 1 << 20

  private let path: String
  /// Read, not mapped: what is read once should not count as this process's memory.
  private let source: RandomAccessFile
  private let kernels = pk_kernels_best().pointee
  private var stored: [UInt8] = []
  private var values: [Float] = []
  private var quantized: [UInt8] = []

  /// - Throws: `StorageError`
  package init(path: String) throws(StorageError) {
    self.path = path
    source = try RandomAccessFile(path: path)
  }

  /// Writes the bytes of `tensor` as they are, as tensor `index` of `writer`; `advance` is told of the bytes written.
  package mutating func copy(
    _ tensor: GGUFTensor, index: Int, to writer: GGUFWriter, advance: (Int) -> Void
  ) throws {
    for start in stride(from: 0, to: tensor.bytes.count, by: Self.copySize) {
      let size = min(Self.copySize, tensor.bytes.count - start)
      try append(stored: tensor.bytes.lowerBound + start, size: size, index, writer)
      advance(size)
    }
  }

  /// Writes `tensor`, plus `delta` where there is one, as `type`.
  ///
  /// - Throws: `QuantizationError`, `AdapterError`, `StorageError`, `GGUFWriteError`
  package mutating func write(
    _ tensor: GGUFTensor, as type: QuantizationType, plus delta: LowRankDelta?, index: Int, to writer: GGUFWriter,
    advance: (Int) -> Void
  ) throws {
    let count = tensor.dimensions.reduce(1, *)
    for start in stride(from: 0, to: count, by: Self.chunk) {
      let elements = min(Self.chunk, count - start)
      try load(tensor, from: start, count: elements)
      try check(tensor, from: start, count: elements)
      try add(delta, from: start, count: elements)
      try quantize(tensor, as: type, from: start, count: elements)
      try quantized.withUnsafeBytes { try writer.append($0, toTensor: index) }
      advance(quantized.count)
    }
  }

  private mutating func append(stored offset: Int, size: Int, _ index: Int, _ writer: GGUFWriter) throws {
    try read(at: offset, size: size)
    try stored.withUnsafeBytes {
      try writer.append(UnsafeRawBufferPointer(rebasing: $0[..<size]), toTensor: index)
    }
  }

  private mutating func read(at offset: Int, size: Int) throws {
    if stored.count < size { stored = [UInt8](repeating: 0, count: size) }
    try stored.withUnsafeMutableBytes {
      try source.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<size]))
    }
  }

  /// Fills `values` with elements of the tensor.
  private mutating func load(_ tensor: GGUFTensor, from start: Int, count: Int) throws {
    let type = tensor.type
    let offset = start / type.blockElements * type.blockBytes
    try read(at: tensor.bytes.lowerBound + offset, size: count / type.blockElements * type.blockBytes)
    if values.count < count { values = [Float](repeating: 0, count: count) }
    stored.withUnsafeBytes { source in
      values.withUnsafeMutableBufferPointer { target in
        kernels.dequantize(type.kernelType, source.baseAddress, target.baseAddress, count)
      }
    }
  }

  private func check(_ tensor: GGUFTensor, from start: Int, count: Int) throws(QuantizationError) {
    let bad = values.withUnsafeBufferPointer {
      Quantizer.firstElement(
        of: UnsafeBufferPointer(rebasing: $0[..<count]), notBelow: Float.infinity.bitPattern)
    }
    guard let bad else { return }
    throw .notFinite(path: path, tensor: tensor.name, element: start + bad, value: values[bad])
  }

  private mutating func add(_ delta: LowRankDelta?, from start: Int, count: Int) throws {
    guard let delta else { return }
    try values.withUnsafeMutableBufferPointer {
      try delta.add(to: UnsafeMutableBufferPointer(rebasing: $0[..<count]), from: start)
    }
  }

  /// Fills `quantized` from `values`.
  private mutating func quantize(
    _ tensor: GGUFTensor, as type: QuantizationType, from start: Int, count: Int
  ) throws(QuantizationError) {
    let size = count / type.tensorType.blockElements * type.tensorType.blockBytes
    if quantized.count != size { quantized = [UInt8](repeating: 0, count: size) }
    let values = self.values
    do throws(UnquantizableValue) {
      var output = quantized.mutableSpan
      var bytes = output.mutableBytes
      try Quantizer.quantize(values.span.extracting(first: count), as: type, into: &bytes)
    } catch {
      guard error.value.isFinite else {
        throw .notFinite(path: path, tensor: tensor.name, element: start + error.element, value: error.value)
      }
      throw .notRepresentable(
        path: path, tensor: tensor.name, element: start + error.element, value: error.value, type: type)
    }
  }
}
