// SPDX-License-Identifier: Apache-2.0
/// Concatenated byte strings with their offsets: the tokens of a vocabulary, or its merges.
///
/// The bytes may belong to another owner, such as a mapped file; then nothing is copied.
///
/// Tokens are bytes, not text: a piece of a byte-level vocabulary may end inside a character.
package struct TokenTable: @unchecked Sendable {  // nobody writes to the memory
  /// All entries, with the gaps between them.
  private let memory: UnsafeRawBufferPointer
  /// Keeps the memory alive.
  private let keeper: any AnyObject & Sendable
  /// Where each entry starts, and `gap` past the end: `count + 1` values.
  private let starts: [UInt32]
  /// Bytes in front of every entry that are not its own.
  private let gap: Int

  /// Upper bound on the bytes of all entries. The largest published vocabularies stay under 8 MB.
  package static let maximumByteCount = 1 << 28

  /// A table of bytes that stay where they are.
  ///
  /// - Parameters:
  ///   - memory: holds `gap` bytes, then an entry, and so on to its end.
  ///   - keeper: as long as it lives, the memory is valid and does not change.
  ///   - starts: `count + 1` positions: where each entry starts, and `gap` past the end of the memory.
  /// - Throws: ``TokenizerError/malformedTable(count:byteCount:)`` where the positions do not fit the memory.
  package init(
    memory: UnsafeRawBufferPointer, keeper: any AnyObject & Sendable, starts: [UInt32], gap: Int
  ) throws(TokenizerError) {
    guard Self.areValid(starts, gap: gap, byteCount: memory.count) else {
      throw .malformedTable(count: Swift.max(starts.count - 1, 0), byteCount: memory.count)
    }
    self.memory = memory
    self.keeper = keeper
    self.starts = starts
    self.gap = gap
  }

  /// A table of copied bytes.
  ///
  /// - Parameter starts: `count + 1` ascending positions, from 0 to `bytes.count`.
  /// - Throws: ``TokenizerError/malformedTable(count:byteCount:)``.
  package init(bytes: [UInt8], starts: [UInt32]) throws(TokenizerError) {
    let copy = Copy(bytes)
    try self.init(memory: UnsafeRawBufferPointer(copy.memory), keeper: copy, starts: starts, gap: 0)
  }

  /// A table of the given entries, in order.
  package init(_ entries: some Sequence<some Sequence<UInt8>>) throws(TokenizerError) {
    var builder = TokenTableBuilder()
    for entry in entries { builder.append(entry) }
    self = try builder.finish()
  }

  /// A table without entries.
  package init() {
    memory = UnsafeRawBufferPointer(start: nil, count: 0)
    keeper = Copy([])
    starts = [0]
    gap = 0
  }

  package var count: Int { starts.count - 1 }

  /// A copy of entry `index`.
  package subscript(index: Int) -> [UInt8] { withView { [UInt8]($0[index]) } }

  /// Entry `index` as text, with U+FFFD for what is not UTF-8.
  package func text(_ index: Int) -> String { withView { String(decoding: $0[index], as: UTF8.self) } }

  /// Direct access for loops over many entries; the view must not leave the closure.
  func withView<Result, Failure>(_ body: (View) throws(Failure) -> Result) throws(Failure) -> Result {
    try starts.withUnsafeBufferPointer { starts throws(Failure) in
      defer { withExtendedLifetime(keeper) {} }
      return try body(View(memory: memory, starts: starts, gap: gap))
    }
  }

  struct View {
    fileprivate let memory: UnsafeRawBufferPointer
    fileprivate let starts: UnsafeBufferPointer<UInt32>
    fileprivate let gap: Int

    var count: Int { starts.count - 1 }

    @inline(__always)
    subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
      // Checked when the table was made: the bounds ascend and lie within the memory.
      let start = Int(starts[index])
      let bytes = memory.baseAddress.map { ($0 + start).assumingMemoryBound(to: UInt8.self) }
      return UnsafeBufferPointer(start: bytes, count: Int(starts[index + 1]) &- start &- gap)
    }
  }

  private static func areValid(_ starts: [UInt32], gap: Int, byteCount: Int) -> Bool {
    guard byteCount <= maximumByteCount, (0...64).contains(gap), let first = starts.first, let last = starts.last,
      Int(first) == gap, Int(last) == byteCount + gap
    else { return false }
    return starts.withUnsafeBufferPointer { starts in
      // Without an early way out the compiler compares many at a time.
      var ascend = true
      for index in 1..<starts.count { ascend = ascend && Int(starts[index]) >= Int(starts[index - 1]) + gap }
      return ascend
    }
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

/// Collects entries for a ``TokenTable``.
struct TokenTableBuilder {
  private var bytes: [UInt8] = []
  private var starts: [UInt32] = [0]

  mutating func append(_ entry: some Sequence<UInt8>) {
    bytes.append(contentsOf: entry)
    starts.append(UInt32(truncatingIfNeeded: bytes.count))
  }

  /// - Throws: ``TokenizerError/malformedTable(count:byteCount:)`` where there are too many bytes.
  func finish() throws(TokenizerError) -> TokenTable { try TokenTable(bytes: bytes, starts: starts) }
}
