// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import PetRuntime

/// The log in which a cache survives: each entry is appended as it comes; when the log is twice what the cache can hold, it is
/// written anew with what is still worth keeping.
///
///     0    "PETPC", 0, 0, version (1)
///     8    identity, 16 random bytes: it stays when the file is written anew, and is another after all was forgotten
///     24   the first 8 bytes of SHA-256 of bytes 0 to 23
///     32   records, see ``PredictionRecord``
///
/// Processes may share a file: each opens it by name for every change and holds a lock on it meanwhile. What one of them forgets,
/// the others forget at their next entry.
package struct PredictionFile: Sendable {
  package let path: String
  /// The longest log, in bytes.
  package let limit: Int
  package var seal: PredictionSeal?
  /// Of the file as it was last seen.
  private var identity: [UInt8]?

  /// What became of an entry.
  package enum Outcome: Equatable {
    case appended
    /// Another process forgot everything meanwhile; this entry is the first of a new file.
    case appendedAfterForgetting
    /// As `appended`; the file is longer than its limit now.
    case appendedBeyondLimit
  }

  package init(path: String, cacheCapacity: Int, seal: PredictionSeal?) {
    self.path = path
    self.seal = seal
    let (twice, overflow) = max(0, cacheCapacity).multipliedReportingOverflow(by: 2)
    limit = overflow ? .max : max(twice, 1 << 16)
  }

  /// Fills `cache` with what is sound, the newest last. Makes the file where there is none; one that is damaged, too long or not
  /// such a file is written anew, or, where that fails, gone on with. O(bytes), in pieces of 256 KiB.
  /// - Throws: `FileError` where there cannot be such a file, or one with another seal or none cannot be written anew.
  package mutating func load(into cache: inout PredictionCache, now: Int64) throws(FileError) {
    let file = try LockedFile(path, creates: true, patience: .milliseconds(1000))
    let (isClean, strangers, identity) = try read(file, into: &cache, now: now)
    self.identity = identity ?? FileHead.newIdentity()
    guard !isClean || identity == nil else { return }
    do throws(FileError) {
      try replace(file, with: cache.entries(now: now))
    } catch {
      // The disk may be full. What is damaged is skipped, and entries are appended behind it.
      if strangers > 0 { throw error }
    }
  }

  /// Adds one entry at the end; a torn one is taken back. O(bytes of the entry).
  package mutating func append(_ entry: PredictionCache.Entry) throws(FileError) -> Outcome {
    guard let record = PredictionRecord.encode(entry, seal: seal) else {
      throw FileError(path: path, operation: "write", code: EMSGSIZE)
    }
    // Somebody waits for the next reply: an entry that cannot be written at once is left out.
    let file = try LockedFile(path, creates: true, patience: .milliseconds(20))
    let found = try file.head()
    let isOurs = found != nil && found == identity
    if found == nil {
      try file.truncate(to: 0)
      identity = FileHead.newIdentity()
      try file.append(FileHead.bytes(identity: identity ?? []) + record)
    } else {
      identity = found
      try file.append(record)
    }
    guard isOurs else { return .appendedAfterForgetting }
    return try file.size > limit ? .appendedBeyondLimit : .appended
  }

  /// Writes the file anew: what other processes added, and `entries`, which are the more recently used.
  package func compact(adding entries: [PredictionCache.Entry], to cache: PredictionCache, now: Int64) throws(FileError)
  {
    let file = try LockedFile(path, creates: false, patience: .milliseconds(20))
    guard let found = try file.head(), found == identity else { return }
    var kept = cache
    kept.removeAll()
    _ = try read(file, into: &kept, now: now)
    for entry in entries { kept.put(entry.payload, for: entry.key, made: entry.made, now: now) }
    try replace(file, with: kept.entries(now: now))
  }

  /// Overwrites and removes the file, and what a killed process may have left beside it.
  /// - Throws: `FileError`; the file may then still be there.
  package mutating func erase() throws(FileError) {
    identity = nil
    try LockedFile.erase(FileDraft.path(of: path))
    try LockedFile.erase(path)
  }

  /// - Returns: whether all of the file is in order, how many records it has with another seal or none, its identity.
  private func read(
    _ file: borrowing LockedFile, into cache: inout PredictionCache, now: Int64
  ) throws(FileError) -> (isClean: Bool, strangers: Int, identity: [UInt8]?) {
    let identity = try file.head()
    let size = try file.size
    // Of a file that is too long the end counts: that is the newest.
    let start = size > limit ? size - limit : identity == nil ? 0 : FileHead.size
    var scanner = RecordScanner(size: size - start)
    var strangers = 0
    try file.forEachPiece(from: start) { piece, isEnd in
      scanner.scan(piece, isEnd: isEnd) { record in
        if let entry = PredictionRecord.decode(record, seal: seal) {
          cache.put(entry.payload, for: entry.key, made: entry.made, now: now)
        } else {
          strangers += 1
        }
      }
    }
    return (scanner.damagedBytes == 0 && strangers == 0 && size <= limit, strangers, identity)
  }

  /// The new file is there whole or not at all; the bytes of the old one are overwritten.
  private func replace(_ file: borrowing LockedFile, with entries: [PredictionCache.Entry]) throws(FileError) {
    try LockedFile.erase(FileDraft.path(of: path))
    let new = try FileDraft(path: path, mode: 0o600)
    try new.write(FileHead.bytes(identity: identity ?? FileHead.newIdentity()))
    for entry in entries { try new.write(PredictionRecord.encode(entry, seal: seal) ?? []) }
    try new.commit()
    try file.overwrite()
    try file.truncate(to: 0)
  }
}

extension LockedFile {
  /// The identity that its head names.
  fileprivate func head() throws(FileError) -> [UInt8]? { FileHead.identity(in: try prefix(FileHead.size)) }
}
