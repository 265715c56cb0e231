/// Byte strings stored end to end: two allocations whatever their number.
///
/// Tokens are bytes, not text: a piece of a byte-level vocabulary may end inside a character.
public struct TokenTable: Sendable, Equatable {
  /// All entries, concatenated.
  public let bytes: [UInt8]
  /// Where each entry starts, and one past the last: `count + 1` values.
  private let offsets: [UInt32]

  /// Upper bound on the concatenated bytes. The largest published vocabularies stay under 8 MB.
  public static let maximumByteCount = 1 << 28

  /// - Parameter offsets: `count + 1` ascending positions, from 0 to `bytes.count`.
  /// - Throws: ``TokenizerError/malformedTable(count:byteCount:)``.
  public init(bytes: [UInt8], offsets: [Int]) throws(TokenizerError) {
    guard
      bytes.count <= Self.maximumByteCount, offsets.first == 0, offsets.last == bytes.count,
      zip(offsets, offsets.dropFirst()).allSatisfy({ $0 <= $1 })
    else { throw .malformedTable(count: Swift.max(offsets.count - 1, 0), byteCount: bytes.count) }
    self.bytes = bytes
    self.offsets = offsets.map { UInt32($0) }
  }

  /// A table of the given entries, in order.
  public init(_ entries: some Sequence<some Sequence<UInt8>>) throws(TokenizerError) {
    var builder = TokenTableBuilder()
    for entry in entries { builder.append(entry) }
    self = try builder.finish()
  }

  /// A table without entries.
  public init() {
    bytes = []
    offsets = [0]
  }

  public var count: Int { offsets.count - 1 }

  /// Entry `index`; the slice shares this table's storage. O(1).
  public subscript(index: Int) -> ArraySlice<UInt8> { bytes[range(of: index)] }

  /// Where entry `index` lies in ``bytes``.
  func range(of index: Int) -> Range<Int> { Int(offsets[index])..<Int(offsets[index + 1]) }

  /// Direct access for loops over many entries; the view must not leave the closure.
  func withView<Result>(_ body: (View) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
      offsets.withUnsafeBufferPointer { offsets in body(View(bytes: bytes, offsets: offsets)) }
    }
  }

  struct View {
    fileprivate let bytes: UnsafeBufferPointer<UInt8>
    fileprivate let offsets: UnsafeBufferPointer<UInt32>

    var count: Int { offsets.count - 1 }

    @inline(__always)
    subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(rebasing: bytes[Int(offsets[index])..<Int(offsets[index + 1])])
    }
  }

  /// Entry `index` as text, with U+FFFD for what is not UTF-8.
  public func text(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }
}

/// Collects entries for a ``TokenTable``.
struct TokenTableBuilder {
  private var bytes: [UInt8] = []
  private var offsets: [Int] = [0]

  mutating func reserve(entries: Int, bytes byteCount: Int) {
    offsets.reserveCapacity(entries + 1)
    bytes.reserveCapacity(byteCount)
  }

  mutating func append(_ entry: some Sequence<UInt8>) {
    bytes.append(contentsOf: entry)
    endEntry()
  }

  /// Adds to the entry that ``endEntry()`` will close.
  mutating func extend(_ byte: UInt8) { bytes.append(byte) }

  mutating func endEntry() { offsets.append(bytes.count) }

  func finish() throws(TokenizerError) -> TokenTable { try TokenTable(bytes: bytes, offsets: offsets) }
}
