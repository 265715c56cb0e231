// SPDX-License-Identifier: Apache-2.0
import Crypto

/// An entry in a file. All numbers are little-endian:
///
///     0    0xFF, "PR", form (0 plain, 1 sealed)
///     4    bytes of the body, 32 bits
///     8    the first 16 bytes of SHA-256 of bytes 0 to 7 and the body
///     24   body: key (32 bytes), seconds since 1970 (64 bits), payload; in a sealed record all of it sealed
///
/// 0xFF occurs in no UTF-8: what a person or a model says is never taken for the beginning of a record.
package enum PredictionRecord {
  package static let longestPayload = 1 << 16
  package static let headSize = 24
  /// Key and time.
  private static let fixedSize = PredictionKey.byteCount + 8
  package static let longest = headSize + fixedSize + longestPayload + PredictionSeal.overhead
  package static let marker: [UInt8] = [0xFF, UInt8(ascii: "P"), UInt8(ascii: "R")]

  /// Nil where the payload is too long or cannot be sealed.
  package static func encode(_ entry: PredictionCache.Entry, seal: PredictionSeal?) -> [UInt8]? {
    guard entry.payload.count <= longestPayload else { return nil }
    var body = entry.key.bytes
    body.reserveCapacity(fixedSize + entry.payload.count)
    withUnsafeBytes(of: entry.made.littleEndian) { body.append(contentsOf: $0) }
    body += entry.payload
    if let seal {
      guard let sealed = seal.seal(body) else { return nil }
      body = sealed
    }
    var record = marker + [seal == nil ? 0 : 1]
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: body.count).littleEndian) { record.append(contentsOf: $0) }
    record += body.withUnsafeBytes { body in record.withUnsafeBytes { check($0, body) } }
    return record + body
  }

  /// The length of the body that the bytes claim to be the head of; nil unless it is possible.
  package static func bodyLength(_ head: UnsafeRawBufferPointer) -> Int? {
    guard head.count >= headSize, head.prefix(3).elementsEqual(marker), head[3] < 2 else { return nil }
    let count = Int(UInt32(littleEndian: head.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    return (fixedSize...longest - headSize).contains(count) ? count : nil
  }

  package static func isSound(_ record: UnsafeRawBufferPointer) -> Bool {
    let head = UnsafeRawBufferPointer(rebasing: record[..<8])
    let body = UnsafeRawBufferPointer(rebasing: record[headSize...])
    return check(head, body).elementsEqual(record[8..<headSize])
  }

  /// The entry of a sound record. With a seal only sealed records count, without only plain ones.
  package static func decode(_ record: UnsafeRawBufferPointer, seal: PredictionSeal?) -> PredictionCache.Entry? {
    guard (record[3] == 1) == (seal != nil) else { return nil }
    guard let seal else { return entry(UnsafeRawBufferPointer(rebasing: record[headSize...])) }
    return seal.open(Array(record[headSize...]))?.withUnsafeBytes { entry($0) }
  }

  private static func entry(_ body: UnsafeRawBufferPointer) -> PredictionCache.Entry? {
    guard body.count >= fixedSize, body.count <= fixedSize + longestPayload,
      let key = PredictionKey(UnsafeRawBufferPointer(rebasing: body[..<PredictionKey.byteCount]))
    else { return nil }
    let made = Int64(littleEndian: body.loadUnaligned(fromByteOffset: PredictionKey.byteCount, as: Int64.self))
    return PredictionCache.Entry(key: key, payload: Array(body[fixedSize...]), made: made)
  }

  private static func check(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> ArraySlice<UInt8> {
    var hash = SHA256()
    hash.update(bufferPointer: head)
    hash.update(bufferPointer: body)
    return hash.finalize().withUnsafeBytes { Array($0)[..<16] }
  }
}
