// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetFiles
import Synchronization

/// Streams tensors from one GGUF file to another, changing their type and adding an adapter's delta, on several threads. The
/// output does not depend on their number. Memory: at most 4 MiB, 128 KiB per thread, and one factor of a
/// delta.
package final class TensorQuantizer {
  /// Elements of a chunk, which one thread handles at once: whole blocks of every type, and few enough for its cache.
  private static let chunk = 1 << 14
  /// Chunks between two writes.
  private static let round = 64
  private static let copySize = 1 << 20

  private let path: String
  /// Read, not mapped: pages read once should not count as resident memory.
  private let source: RandomAccessFile
  private let pool: ThreadPool
  /// One per thread.
  private let workers: [ChunkQuantizer]
  private var bytes: [UInt8] = []

  /// - Throws: `FileError`
  package init(path: String, threadCount: Int) throws(FileError) {
    self.path = path
    let source = try RandomAccessFile(path: path)
    self.source = source
    pool = ThreadPool(threadCount: threadCount)
    workers = (0..<pool.threadCount).map { _ in ChunkQuantizer(source) }
  }

  /// Copies the bytes of `tensor` to tensor `index` of `writer`; `advance` receives the bytes written.
  package func copy(
    _ tensor: GGUFTensor, index: Int, to writer: GGUFWriter, advance: (Int) -> Void
  ) throws {
    for start in stride(from: 0, to: tensor.bytes.count, by: Self.copySize) {
      let size = min(Self.copySize, tensor.bytes.count - start)
      try fill(size: size) { try source.read(at: tensor.bytes.lowerBound + start, into: $0) }
      try append(size: size, index, writer)
      advance(size)
    }
  }

  /// Writes `tensor`, plus `delta` where there is one, as `type`.
  ///
  /// - Throws: `QuantizationError`, `AdapterError`, `FileError`, `GGUFWriteError`
  package func write(
    _ tensor: GGUFTensor, as type: QuantizationType, plus delta: LowRankDelta?, index: Int, to writer: GGUFWriter,
    advance: (Int) -> Void
  ) throws {
    let count = tensor.dimensions.reduce(1, *)
    let round = Self.round * Self.chunk
    for start in stride(from: 0, to: count, by: round) {
      let elements = start..<min(start + round, count)
      let size = type.byteCount(of: elements.count)
      try fill(size: size) { output in
        try onAllThreads(elements) { worker, chunk in
          let offset = type.byteCount(of: chunk.lowerBound - start)
          let target = output[offset..<offset + type.byteCount(of: chunk.count)]
          try worker.quantize(
            tensor, chunk, as: type, plus: delta, into: UnsafeMutableRawBufferPointer(rebasing: target))
        }
      }
      try append(size: size, index, writer)
      advance(size)
    }
  }

  /// Calls `body` for each chunk of `elements`; throws what the first of the chunks that failed threw.
  private func onAllThreads(_ elements: Range<Int>, _ body: (ChunkQuantizer, Range<Int>) throws -> Void) throws {
    let failure = Mutex<(chunk: Int, error: any Error)?>(nil)
    pool.run(chunks: (elements.count + Self.chunk - 1) / Self.chunk) { worker, chunk in
      let start = elements.lowerBound + chunk * Self.chunk
      do {
        try body(workers[worker], start..<min(start + Self.chunk, elements.upperBound))
      } catch {
        failure.withLock { if chunk < $0?.chunk ?? .max { $0 = (chunk, error) } }
      }
    }
    if let error = failure.withLock({ $0?.error }) { throw error }
  }

  /// Lets `body` write the first `size` of `bytes`.
  private func fill(size: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
    if bytes.count < size { bytes = [UInt8](repeating: 0, count: size) }
    try bytes.withUnsafeMutableBytes { try body(UnsafeMutableRawBufferPointer(rebasing: $0[..<size])) }
  }

  private func append(size: Int, _ index: Int, _ writer: GGUFWriter) throws {
    try bytes.withUnsafeBytes { try writer.append(UnsafeRawBufferPointer(rebasing: $0[..<size]), toTensor: index) }
  }
}

extension QuantizationType {
  /// Bytes of that many elements, which are whole blocks.
  fileprivate func byteCount(of elements: Int) -> Int {
    elements / tensorType.blockElements * tensorType.blockBytes
  }
}
