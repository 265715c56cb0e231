// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the memory and the kernels of this machine do in a short measurement, all threads together.
package struct KernelSpeed: Sendable, Equatable {
  /// Bytes read from memory per second.
  package let memory: Double
  /// Products of two 8-bit integers, each added to a sum, per second: one token in a pass, as where a reply is written.
  package let oneToken: Double
  /// The same with ``tokens`` tokens in a pass, as where a prompt is read.
  package let manyTokens: Double

  package static let tokens = Int(PK_TILE_TOKENS)
  /// Bytes that are read: more than the last cache of most machines holds.
  package static let usualBytes = 96 << 20
  /// With fewer, caches would be measured.
  package static let leastBytes = 16 << 20

  private static let chunk = 1 << 20
  private static let memoryTime = Duration.milliseconds(60)
  private static let productTime = Duration.milliseconds(30)

  /// Takes about a quarter of a second. The best of several passes counts: other programs only slow one down.
  /// - Parameter bytes: of memory that may be filled meanwhile; from ``leastBytes`` on.
  /// - Returns: nil where there is no memory for it.
  package static func measure(threads: Int, bytes: Int = usualBytes) -> KernelSpeed? {
    guard bytes >= leastBytes, let kernels = pk_kernels_best() else { return nil }
    let pool = ThreadPool(threadCount: threads)
    guard let memory = bytesPerSecond(pool, bytes),
      let probe = try? ProductProbe(kernels, threads: pool.threadCount, tokens: tokens)
    else { return nil }
    func rate(_ tokens: Int) -> Double {
      Double(probe.products(pool.threadCount)) / bestTime(for: productTime) { probe.run(on: pool, tokens: tokens) }
    }
    return KernelSpeed(memory: memory, oneToken: rate(1), manyTokens: rate(tokens))
  }

  /// By the C library's search for a byte, which reads as fast as the processor can in every build of this program.
  private static func bytesPerSecond(_ pool: ThreadPool, _ bytes: Int) -> Double? {
    let (chunks, size) = (bytes / chunk, bytes / chunk * chunk)
    guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      memory != MAP_FAILED
    else { return nil }
    defer { munmap(memory, size) }
    #if os(Linux)
      madvise(memory, size, MADV_HUGEPAGE)  // advisory: as weights are kept, and filled sooner
    #endif
    // Pages that were never written are all one page of zeros, which a cache holds.
    pool.run(chunks: chunks) { _, index in memset(memory + index * chunk, 1, chunk) }
    let isFound = Atomic(false)
    let best = bestTime(for: memoryTime) {
      pool.run(chunks: chunks) { _, index in
        // What the search finds is used, so that no compiler leaves it out.
        if memchr(memory + index * chunk, 0, chunk) != nil { isFound.store(true, ordering: .relaxed) }
      }
    }
    return isFound.load(ordering: .relaxed) ? nil : Double(size) / best
  }

  /// Seconds of the fastest of the passes that begin within `time`: at least one.
  private static func bestTime(for time: Duration, _ pass: () -> Void) -> Double {
    let start = ContinuousClock.now
    var best = Duration.seconds(3600)
    repeat {
      let began = ContinuousClock.now
      pass()
      best = min(best, ContinuousClock.now - began)
    } while ContinuousClock.now - start < time
    return max(best / .seconds(1), 1e-9)
  }
}
