/// Scratch memory of a transformer, allocated once: nothing is allocated while tokens are computed.
///
/// Every piece starts on a 64-byte line and is zero at first.
struct Arena: ~Copyable {
  private static let alignment = 64
  private var pieces: [UnsafeMutableRawPointer] = []
  private(set) var byteCount = 0

  mutating func take<T: BitwiseCopyable>(_ type: T.Type, _ count: Int) -> UnsafeMutablePointer<T> {
    let size = (max(count, 1) * MemoryLayout<T>.stride + Self.alignment - 1) / Self.alignment * Self.alignment
    let piece = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: Self.alignment)
    piece.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    pieces.append(piece)
    byteCount += size
    return piece.bindMemory(to: type, capacity: count)
  }

  deinit {
    for piece in pieces { piece.deallocate() }
  }
}
