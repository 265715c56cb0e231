// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// Parses GGUF files; nothing else does. Malformed input throws; it never traps, and never causes an allocation larger than the
/// file. Arrays are bounds-checked and stay in the file.
///
///     "GGUF" | version u32 | tensor count u64 | key count u64
///     keys:    key string | value type u32 | value
///     tensors: name string | rank u32 | dimensions u64[rank] | type u32 | offset u64
///     padding to the alignment | data
enum GGUFParser {
  struct Contents {
    var version: UInt32 = 0
    var metadata: [String: GGUFValue] = [:]
    var metadataKeys: [String] = []
    var tensors: [String: GGUFTensor] = [:]
    var tensorNames: [String] = []
  }

  // A 126-layer model has about 1,200 tensors and 60 keys: these leave room for anything real.
  static let maximumTensors = 65_536
  static let maximumKeys = 65_536
  /// Elements of one array; the largest in published files are some 500,000 merges.
  static let maximumStrings = 1 << 22
  static let maximumKeyLength: UInt64 = 65_535  // the format's own
  static let maximumNameLength: UInt64 = 64  // the format's own
  static let maximumRank: UInt32 = 4  // the format's own

  /// O(size of the header); elements of arrays of a fixed size are not read.
  static func parse(_ file: MappedFile) throws(GGUFError.Reason) -> Contents {
    let bytes = file.bytes.bytes
    guard bytes.byteCount > 0 else { throw .empty }
    var cursor = ByteCursor()
    let magic = try cursor.read(UInt32.self, "magic number", in: bytes)
    guard magic == 0x4655_4747 else { throw .notGGUF(magic: magic.byteSwapped) }
    var contents = Contents()
    contents.version = try cursor.read(UInt32.self, "version", in: bytes)
    guard contents.version == 0 || contents.version & 0xffff != 0 else { throw .bigEndian }
    guard contents.version == 2 || contents.version == 3 else { throw .unsupportedVersion(contents.version) }
    let tensorCount = try readCount("tensors", limit: maximumTensors, &cursor, bytes)
    let keyCount = try readCount("keys", limit: maximumKeys, &cursor, bytes)

    contents.metadata.reserveCapacity(min(keyCount, 256))
    for _ in 0..<keyCount {
      let key = try readKey(&cursor, bytes)
      guard contents.metadata[key] == nil else { throw .duplicateKey(key) }
      contents.metadata[key] = try readValue(key, &cursor, file)
      contents.metadataKeys.append(key)
    }
    try readTensors(tensorCount, into: &contents, &cursor, bytes)
    return contents
  }

  private static func readCount(
    _ what: String, limit: Int, _ cursor: inout ByteCursor, _ bytes: RawSpan
  ) throws(GGUFError.Reason) -> Int {
    let count = try cursor.read(UInt64.self, "number of \(what)", in: bytes)
    guard count <= UInt64(limit) else { throw .tooMany(what: what, count: count, limit: limit) }
    return Int(count)
  }

  private static func readKey(_ cursor: inout ByteCursor, _ bytes: RawSpan) throws(GGUFError.Reason) -> String {
    let offset = cursor.offset
    let length = try cursor.read(UInt64.self, "length of a key", in: bytes)
    guard length > 0, length <= maximumKeyLength else { throw .keyLength(offset: offset, length: length) }
    let range = try cursor.skip(length, "key", in: bytes)
    guard let key = bytes.string(range) else { throw .invalidUTF8(what: "key", offset: offset) }
    return key
  }
}
