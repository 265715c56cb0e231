// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Memory of ordinary numbers, whatever type they are read as: every 16-bit word is a half between 0.5 and 1 in magnitude, so
/// scales of blocks are, too.
enum Memory {
  /// Larger than the caches of most machines: weights that cycle through it come from memory. `PET_BENCH_POOL` gives it
  /// another size in MiB, a small one to see the speed from a cache.
  static let poolBytes = max(32, environment("PET_BENCH_POOL").flatMap { Int($0) } ?? 256) << 20

  nonisolated(unsafe) static let pool = UnsafeRawPointer(words(bytes: poolBytes))  // never written after this

  static func floats(_ count: Int) -> UnsafeMutablePointer<Float> {
    let memory = allocate(bytes: count * 4).bindMemory(to: Float.self, capacity: count)
    for index in 0..<count { memory[index] = Float((index &* 2_654_435_761) % 2001) / 1000 - 1 }
    return memory
  }

  static func allocate(bytes: Int) -> UnsafeMutableRawPointer {
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, 2 << 20, max(bytes, 64)) == 0, let memory else {
      fatalError("no memory for \(bytes) bytes")
    }
    // Large pages: what is measured are kernels, not address translation.
    madvise(memory, bytes, MADV_HUGEPAGE)
    memset(memory, 0, bytes)
    return memory
  }

  private static func words(bytes: Int) -> UnsafeMutableRawPointer {
    let memory = allocate(bytes: bytes)
    var state: UInt64 = 88_172_645_463_325_252
    for offset in stride(from: 0, to: bytes - 7, by: 8) {
      // Xorshift (Marsaglia 2003).
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      memory.storeBytes(
        of: state & 0x83ff_83ff_83ff_83ff | 0x3800_3800_3800_3800, toByteOffset: offset, as: UInt64.self)
    }
    return memory
  }
}
