// SPDX-License-Identifier: Apache-2.0
/// Bytes that stay where they are: a stretch of a mapped file, which is kept mapped, or a copy of their own.
public struct ByteRegion: @unchecked Sendable {  // nobody writes to the memory
  /// Valid as long as ``keeper`` lives.
  package let memory: UnsafeRawBufferPointer
  /// What keeps the memory.
  package let keeper: any AnyObject & Sendable

  public var count: Int { memory.count }

  /// A copy of `bytes`.
  package init(_ bytes: [UInt8]) {
    let copy = Copy(bytes)
    memory = UnsafeRawBufferPointer(copy.memory)
    keeper = copy
  }

  /// The bytes of `file` in `range`, which must lie within it.
  package init(_ file: MappedFile, _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= file.bytes.count)
    memory = UnsafeRawBufferPointer(rebasing: file.bytes[range])
    keeper = file
  }

  /// The memory, for the length of a call.
  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(keeper) { try body(memory) }
  }

  private final class Copy: @unchecked Sendable {  // written once, before anybody sees it
    let memory: UnsafeMutableRawBufferPointer

    init(_ bytes: [UInt8]) {
      memory = .allocate(byteCount: bytes.count, alignment: 16)
      memory.copyBytes(from: bytes)
    }

    deinit { memory.deallocate() }
  }
}

extension ByteRegion: Equatable {
  /// Whether both hold the same bytes, wherever these are.
  public static func == (left: ByteRegion, right: ByteRegion) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { left.elementsEqual($0) } }
  }
}
