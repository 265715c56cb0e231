// SPDX-License-Identifier: Apache-2.0
import Crypto
import PetFiles

/// Keys and values of a sequence in a file, which is mapped to restore them. All numbers are little-endian:
///
///     0    "PETKV", 0, 0, version (1)
///     8    bytes of the file, 64 bits
///     16   identity of what computed them, 32 bytes
///     48   rotary regime (0 short, 1 long), positions of a block, 32 bits each
///     56   tokens, bytes attached, 64 bits each
///     72   zeros
///     96   SHA-256 of all other bytes
///     128  tokens, 32 bits each; the attached bytes; zeros up to a multiple of 4096
///          blocks, each filled up to a multiple of 64 bytes
package struct KVSnapshot {
  package let prefix: KVPrefix
  /// Bytes of the caller, stored in the same file.
  package let attachment: [UInt8]

  /// A hash of everything that keys and values depend on. `model` identifies the weights.
  package static func identity(
    model: [UInt8], kernels: String, weights: WeightLayout, layout: KVLayout
  ) -> [UInt8] {
    let order = weights == .rowMajor ? "asInFile" : "interleaved"  // the spelling in saved files
    let shape = "\(kernels) \(order) \(layout.precision) \(layout.layerCount) \(layout.headCount) \(layout.headSize)"
    return Array(SHA256.hash(data: model + Array(shape.utf8)))
  }

  private static let magic = Array("PETKV".utf8) + [0, 0, 1]
  private static let checksum = 96..<128
  private static let page = 4096
  /// Bytes; no conversation's text takes more.
  private static let longestAttachment = 1 << 26
  /// Tokens; no context has more.
  private static let mostTokens = 1 << 24

  private struct Places {
    let tokens: Int
    let attachment: Int
    let stride: Int
    let blocks: Int

    var attachmentStart: Int { checksum.upperBound + 4 * tokens }
    var start: Int { (attachmentStart + attachment + page - 1) / page * page }
    var end: Int { start + blocks * stride }

    init(tokens: Int, attachment: Int, _ layout: KVLayout) {
      self.tokens = tokens
      self.attachment = attachment
      stride = (layout.blockBytes + 63) / 64 * 64
      blocks = KVLayout.blocks(tokens)
    }
  }

  /// Writes a file that only its owner can read. The write is atomic. O(bytes).
  /// - Throws: `FileError`; `InferenceError.notEnoughMemory`, `.fileLost`.
  package static func write(
    _ prefix: KVPrefix, attaching attachment: [UInt8], identity: [UInt8], layout: KVLayout, to path: String
  ) throws {
    let places = Places(tokens: prefix.count, attachment: attachment.count, layout)
    var head = magic
    head += bytes(of: UInt64(places.end)) + identity
    head += bytes(of: UInt32(prefix.origin.regime == .long ? 1 : 0)) + bytes(of: UInt32(KVLayout.blockPositions))
    head += bytes(of: UInt64(prefix.count)) + bytes(of: UInt64(attachment.count))
    head += [UInt8](repeating: 0, count: checksum.lowerBound - head.count)
    var body = prefix.tokens.flatMap { bytes(of: UInt32(bitPattern: $0)) } + attachment
    body += [UInt8](repeating: 0, count: places.start - checksum.upperBound - body.count)
    let padding = [UInt8](repeating: 0, count: places.stride - layout.blockBytes)
    let end = (prefix.count - 1) % KVLayout.blockPositions + 1
    let last = try prefix.blocks.last.map { try $0.cleared(from: end, layout) }
    let kept = prefix.blocks.dropLast() + [last].compactMap { $0 }
    let blocks = kept.map { UnsafeRawBufferPointer(start: $0.memory, count: layout.blockBytes) }

    var hash = SHA256()
    hash.update(data: head)
    hash.update(data: body)
    for block in blocks {
      hash.update(bufferPointer: block)
      hash.update(data: padding)
    }
    let file = try FileDraft(path: path, mode: 0o600, expectedSize: places.end)
    try (head + Array(hash.finalize()) + body).withUnsafeBytes { try file.write($0) }
    for block in blocks {
      try file.write(block)
      try file.writeZeros(padding.count)
    }
    for block in prefix.blocks {
      if let mapped = block.file, mapped.isLost { throw InferenceError.fileLost(path: mapped.path) }
    }
    try file.commit()
    withExtendedLifetime(kept) {}
  }

  /// Maps a file after checking all of it.
  /// - Parameters:
  ///   - pool: the pool of the caches that will adopt the prefix.
  ///   - vocabularySize: upper bound of the tokens.
  ///   - adapter: the adapter's identity in this process; 0: none.
  /// - Throws: `KVSnapshotError`, `FileError`.
  package init(path: String, identity: [UInt8], pool: KVBlockPool, vocabularySize: Int, adapter: UInt64 = 0) throws {
    let file = try MappedFile(path: path)
    func refused(_ reason: KVSnapshotError.Reason) -> KVSnapshotError { KVSnapshotError(path: path, reason: reason) }
    let bytes = file.bytes
    guard bytes.count >= Self.checksum.upperBound, bytes.prefix(5).elementsEqual(Self.magic.prefix(5)) else {
      throw refused(.notASnapshot)
    }
    guard bytes.prefix(8).elementsEqual(Self.magic) else { throw refused(.version(bytes[7])) }
    guard bytes[16..<48].elementsEqual(identity) else { throw refused(.otherModel) }
    func number(at offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    func half(at offset: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    // Counts beyond the file's size could overflow below.
    let (tokens, attached) = (number(at: 56), number(at: 64))
    guard number(at: 8) == UInt64(bytes.count), half(at: 48) < 2, half(at: 52) == UInt32(KVLayout.blockPositions),
      tokens <= UInt64(min(bytes.count / 4, Self.mostTokens)),
      attached <= UInt64(min(bytes.count, Self.longestAttachment))
    else { throw refused(.damaged) }
    let places = Places(tokens: Int(tokens), attachment: Int(attached), pool.layout)
    guard places.end == bytes.count else { throw refused(.damaged) }
    var hash = SHA256()
    hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[..<Self.checksum.lowerBound]))
    hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[Self.checksum.upperBound...]))
    guard hash.finalize().elementsEqual(bytes[Self.checksum]) else { throw refused(.damaged) }

    let ids = (0..<places.tokens).map { Int32(bitPattern: half(at: Self.checksum.upperBound + 4 * $0)) }
    guard ids.allSatisfy({ $0 >= 0 && Int($0) < vocabularySize }) else { throw refused(.damaged) }
    let blocks = (0..<places.blocks).compactMap { pool.block(in: file, at: places.start + $0 * places.stride) }
    let origin = KVOrigin(regime: half(at: 48) == 1 ? .long : .short, adapter: adapter)
    prefix = KVPrefix(tokens: ids, blocks: blocks, origin: origin)
    attachment = Array(bytes[places.attachmentStart..<places.attachmentStart + places.attachment])
  }

  private static func bytes<T: FixedWidthInteger>(of value: T) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian, Array.init)
  }
}
