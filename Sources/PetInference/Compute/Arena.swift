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
/// Every piece starts on a 64-byte line. Nothing is written to it here, so it becomes resident as far as it is used.
struct Arena: ~Copyable {
  private static let alignment = 64
  private var pieces: [UnsafeMutableRawPointer] = []
  /// Of all pieces.
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

  /// Bytes that a piece of so many elements takes.
  static func size<T: BitwiseCopyable>(_ type: T.Type, _ count: Int) -> Int {
    (max(count, 1) * MemoryLayout<T>.stride + alignment - 1) / alignment * alignment
  }

  deinit {
    for piece in pieces { free(piece) }
  }
}

/// Memory that may be refused, unlike `UnsafeMutableRawPointer.allocate`, which ends the program. Give it back with
/// `free`.
func allocate(byteCount: Int, alignment: Int) throws(InferenceError) -> UnsafeMutableRawPointer {
  var memory: UnsafeMutableRawPointer?
  guard posix_memalign(&memory, alignment, byteCount) == 0, let memory else {
    throw .notEnoughMemory(bytes: byteCount)
  }
  return memory
}
