// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetFiles
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Keys and values of consecutive positions. References share a block; only the holder of the sole reference may write to it
/// (paged attention with copy on write, arXiv:2309.06180).
package final class KVBlock: @unchecked Sendable {
  let memory: UnsafeMutableRawPointer
  /// The file that the block is mapped from; such a block is never written. nil: allocated memory.
  let file: MappedFile?
  private let pool: KVBlockPool

  fileprivate init(_ memory: UnsafeMutableRawPointer, file: MappedFile? = nil, pool: KVBlockPool) {
    self.memory = memory
    self.file = file
    self.pool = pool
    pool.count.add(1, ordering: .relaxed)
  }

  /// A copy with zeros from a position on, where another sequence's data or uninitialized memory may lie.
  /// - Throws: `InferenceError.notEnoughMemory`, `.fileLost`.
  func cleared(from position: Int, _ layout: KVLayout) throws(InferenceError) -> KVBlock {
    let copy = try pool.copy(self)
    let kernels = pk_kernels_for(PK_SCALAR).pointee
    let zeros = [Float](repeating: 0, count: layout.headSize)
    for layer in 0..<layout.layerCount {
      for head in 0..<layout.headCount {
        let keys = copy.memory + layout.keys(layer, head: head)
        let values = copy.memory + layout.values(layer, head: head)
        for place in position..<max(position, KVLayout.blockPositions) {
          kernels.store_key(zeros, layout.precision.kernelType, layout.headSize, place, keys)
          kernels.store_value(zeros, layout.precision.kernelType, layout.headSize, values + place * layout.rowBytes)
        }
      }
    }
    return copy
  }

  deinit {
    pool.count.subtract(1, ordering: .relaxed)
    if file == nil { free(memory) }
  }
}

/// Allocates the blocks of a model's sequences and counts them.
package final class KVBlockPool: Sendable {
  package let layout: KVLayout
  fileprivate let count = Atomic(0)

  package init(_ layout: KVLayout) { self.layout = layout }

  /// Bytes of all live blocks, each counted once.
  package var byteCount: Int { count.load(ordering: .relaxed) * layout.blockBytes }

  /// - Throws: `InferenceError.notEnoughMemory`.
  func make() throws(InferenceError) -> KVBlock {
    KVBlock(try allocate(byteCount: max(64, layout.blockBytes), alignment: 64), pool: self)
  }

  /// - Throws: `InferenceError.notEnoughMemory`, `.fileLost`.
  func copy(_ block: KVBlock) throws(InferenceError) -> KVBlock {
    let copy = try make()
    copy.memory.copyMemory(from: block.memory, byteCount: layout.blockBytes)
    // After the copy: reading the pages detects the loss.
    if let file = block.file, file.isLost { throw .fileLost(path: file.path) }
    return copy
  }

  /// A block mapped from a file.
  /// - Parameter offset: of `layout.blockBytes` bytes within the file.
  func block(in file: MappedFile, at offset: Int) -> KVBlock? {
    guard let base = file.bytes.baseAddress else { return nil }
    return KVBlock(UnsafeMutableRawPointer(mutating: base + offset), file: file, pool: self)
  }
}
