// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Scratch memory of a transformer, allocated once: nothing is allocated while tokens are computed.
///
/// Allocations are aligned to 64 bytes. Memory is not written here, so pages become resident on first use.
struct Arena: ~Copyable {
  private static let alignment = 64
  private var pieces: [UnsafeMutableRawPointer] = []
  /// Bytes of all allocations.
  private(set) var byteCount = 0

  /// - Throws: `InferenceError.notEnoughMemory`.
  mutating func take<T: BitwiseCopyable>(
    _ type: T.Type, _ count: Int
  ) throws(InferenceError) -> UnsafeMutablePointer<T> {
    let size = Self.size(type, count)
    let piece = try allocate(byteCount: size, alignment: Self.alignment)
    pieces.append(piece)
    byteCount += size
    return piece.bindMemory(to: type, capacity: count)
  }

  /// Bytes of an allocation of `count` elements, with padding.
  static func size<T: BitwiseCopyable>(_ type: T.Type, _ count: Int) -> Int {
    (max(count, 1) * MemoryLayout<T>.stride + alignment - 1) / alignment * alignment
  }

  deinit {
    for piece in pieces { free(piece) }
  }
}

/// Allocates memory or throws, where `UnsafeMutableRawPointer.allocate` would end the program. Release it with `free`.
func allocate(byteCount: Int, alignment: Int) throws(InferenceError) -> UnsafeMutableRawPointer {
  var memory: UnsafeMutableRawPointer?
  guard posix_memalign(&memory, alignment, byteCount) == 0, let memory else {
    throw .notEnoughMemory(bytes: byteCount)
  }
  return memory
}
