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

/// Interleaved copies of row-major matrices. A background thread makes them, one group of matrices at a time; until a group is
/// ready, products use the originals.
///
/// Waiting for the copies would delay the first token (SmolLM2's 97 MB take 40 ms of one core), and a second file would double
/// the disk space of a model. Products of quantized weights are bit-identical in both layouts, so the time of the switch does
/// not matter. The pages of the originals are released as they are copied: memory never holds both.
final class InterleavedCopies: @unchecked Sendable {  // a group is written before `ready` counts it, and never after
  private let file: GGUFFile  // holds the originals
  private let kernels: UnsafePointer<pk_kernels>
  private let memory: UnsafeMutableRawPointer
  private let byteCount: Int
  private let sources: [[QuantizedMatrix]]
  /// The copies of each group, in the order of the sources. Valid once the group is ready.
  let groups: [[QuantizedMatrix]]
  /// The number of groups that are ready; read it with `pk_load`.
  let ready: UnsafeMutablePointer<UInt32>
  private let stopping = Atomic<Bool>(false)
  private let thread = Mutex<pthread_t?>(nil)

  /// Rows that are copied before their pages are released.
  private static let step = 1024

  /// - Throws: `InferenceError.notEnoughMemory`.
  init(
    _ sources: [[QuantizedMatrix]], of file: GGUFFile, _ kernels: UnsafePointer<pk_kernels>
  ) throws(InferenceError) {
    let sizes = sources.map { $0.map { (WeightInterleaving.paddedRows($0.rows) * $0.rowBytes + 63) / 64 * 64 } }
    byteCount = max(1, sizes.joined().reduce(0, +))
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0), memory != MAP_FAILED else {
      throw .notEnoughMemory(bytes: byteCount)
    }
    #if os(Linux)
      madvise(memory, byteCount, MADV_HUGEPAGE)  // advisory: filling takes a third less time
    #endif
    var offset = 0
    groups = zip(sources, sizes).map { group, sizes in
      zip(group, sizes).map { matrix, size in
        defer { offset += size }
        return QuantizedMatrix(
          type: matrix.type, rows: matrix.rows, columns: matrix.columns, bytes: memory + offset, layout: .interleaved)
      }
    }
    ready = .allocate(capacity: 1)
    ready.initialize(to: 0)
    self.memory = memory
    self.sources = sources
    self.file = file
    self.kernels = kernels
  }

  deinit {
    stopping.store(true, ordering: .relaxed)
    wait()
    munmap(memory, byteCount)
    ready.deallocate()
  }

  /// Starts the thread. `deinit` waits for its end.
  func start() {
    #if canImport(Darwin)
      var new: pthread_t?
    #else
      var new = pthread_t()
    #endif
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard pthread_create(&new, nil, { InterleavedCopies.enter($0) }, context) == 0 else { return copy() }
    thread.withLock { $0 = new }
  }

  /// Waits until all groups are ready.
  func wait() {
    thread.withLock {
      if let thread = $0 { pthread_join(thread, nil) }
      $0 = nil
    }
  }

  private static func enter(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<InterleavedCopies>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.populate() }
    #if os(Linux)
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)  // of this thread: requests go first
    #elseif canImport(Darwin)
      pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
    #endif
    Unmanaged<InterleavedCopies>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.copy() }
    return nil
  }

  /// Populates the pages of the originals in the order in which the first tokens read them. Faults of 64 KB each would cost
  /// those tokens twice as much, and this is nearly done before they start.
  private func populate() {
    for matrix in sources.joined() {
      if stopping.load(ordering: .relaxed) { return }
      MappedFile.populate(UnsafeRawBufferPointer(start: matrix.bytes, count: matrix.rows * matrix.rowBytes))
    }
  }

  private func copy() {
    for (group, copies) in zip(sources, groups) {
      for (source, target) in zip(group, copies) {
        for row in stride(from: 0, to: source.rows, by: Self.step) {
          if stopping.load(ordering: .relaxed) { return }
          copy(source, target, from: row, count: min(Self.step, source.rows - row))
        }
      }
      pk_increment(ready)
    }
  }

  private func copy(_ source: QuantizedMatrix, _ target: QuantizedMatrix, from row: Int, count: Int) {
    let first = source.bytes + row * source.rowBytes
    WeightInterleaving.interleave(
      first, type: source.type, rows: count, columns: source.columns,
      into: UnsafeMutableRawPointer(mutating: target.bytes + row * source.rowBytes), with: kernels)
    MappedFile.release(UnsafeRawBufferPointer(start: first, count: count * source.rowBytes))
  }
}
