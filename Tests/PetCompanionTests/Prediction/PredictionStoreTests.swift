// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetRuntime
import Testing

import PetCompanion
import PetFiles

@Suite("The prediction cache on disk")
struct PredictionStoreTests {
  private static let secret = [UInt8](repeating: 7, count: 32)

  private static func store(
    _ folder: TestFolder, capacity: Int = 1 << 20, seal: PredictionSeal? = nil, now: Int64 = 100
  ) throws -> PredictionStore {
    try PredictionStore(capacity: capacity, timeToLive: 1000, path: folder.file, seal: seal, now: now)
  }

  /// How many of the first answers are there; one that is not the right one is a failure.
  private static func found(
    _ store: PredictionStore, of count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Int {
    (0..<count).count { number in
      guard let answer = store.prediction(for: request(number).key, now: 100) else { return false }
      #expect(answer == prediction(number), sourceLocation: sourceLocation)
      return true
    }
  }

  private static func filled(_ folder: TestFolder, _ count: Int, seal: PredictionSeal? = nil) throws {
    let store = try store(folder, seal: seal)
    for number in 0..<count { store.put(prediction(number), for: request(number).key, now: 100) }
    #expect(store.statistics.unwritten == 0)
  }

  @Test("answers survive a restart, with the reply, its marks and its tokens", arguments: [false, true])
  func restart(isSealed: Bool) throws {
    let folder = TestFolder()
    let seal = isSealed ? try PredictionSeal(secret: Self.secret) : nil
    try Self.filled(folder, 20, seal: seal)
    let store = try Self.store(folder, seal: seal)
    #expect(store.statistics.hits == 0 && store.statistics.entries == 20)
    #expect(Self.found(store, of: 30) == 20)
    #expect(store.statistics.hits == 20 && store.statistics.misses == 10)
    // Nothing of them lives beyond its time, restart or not.
    #expect(try Self.store(folder, seal: seal, now: 1100).statistics.entries == 0)
    var status = stat()
    #expect(stat(folder.file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let text = String(decoding: try folder.bytes(), as: UTF8.self)
    #expect(text.contains("This is answer") == !isSealed)
  }

  @Test("a file cut anywhere gives the answers before the cut", arguments: [false, true])
  func truncated(isSealed: Bool) throws {
    let folder = TestFolder()
    let seal = isSealed ? try PredictionSeal(secret: Self.secret) : nil
    try Self.filled(folder, 4, seal: seal)
    let whole = try folder.bytes()
    let record = (whole.count - FileHead.size) / 4
    for count in 0..<whole.count {
      try folder.write(Array(whole.prefix(count)))
      let store = try Self.store(folder, seal: seal)
      #expect(Self.found(store, of: 4) == max(0, count - FileHead.size) / record, "\(count)")
      // It goes on as if nothing had been.
      store.put(prediction(9), for: request(9).key, now: 100)
      #expect(try Self.store(folder, seal: seal).prediction(for: request(9).key, now: 100) == prediction(9))
    }
  }

  @Test("a torn file that cannot be written anew is gone on with; one without the seal is refused")
  func unmended() throws {
    let folder = TestFolder()
    try Self.filled(folder, 4)
    let whole = try folder.bytes()
    let record = (whole.count - FileHead.size) / 4
    // Where it would be written anew, nothing can be written.
    let draft = folder.path + "/.predictions.new"
    for torn in stride(from: 1, to: record, by: 7) {
      try folder.write(Array(whole.dropLast(torn)))
      #expect(mkdir(draft, 0o700) == 0)
      defer { rmdir(draft) }
      let store = try Self.store(folder)
      #expect(Self.found(store, of: 4) == 3, "\(torn)")
      store.put(prediction(9), for: request(9).key, now: 100)
      #expect(store.statistics.unwritten == 0)
      #expect(Self.found(try Self.store(folder), of: 10) == 4, "\(torn)")
    }
    // Once something can, it is.
    #expect(Self.found(try Self.store(folder), of: 10) == 4)
    #expect(try folder.bytes().count == whole.count)
    #expect(mkdir(draft, 0o700) == 0)
    defer { rmdir(draft) }
    let seal = try PredictionSeal(secret: Self.secret)
    #expect(throws: FileError.self) { try Self.store(folder, seal: seal) }
  }

  @Test("a changed byte costs the answer it is in and no other")
  func flipped() throws {
    let folder = TestFolder()
    try Self.filled(folder, 6)
    let whole = try folder.bytes()
    for place in whole.indices {
      var changed = whole
      changed[place] ^= 1 << (place % 8)
      try folder.write(changed)
      #expect(Self.found(try Self.store(folder), of: 6) == (place < FileHead.size ? 6 : 5), "\(place)")
      // What was damaged is gone from the file too.
      if place % 64 == 0 { #expect(Self.found(try Self.store(folder), of: 6) >= 5) }
    }
  }

  @Test("whatever is in the file, it opens, and no answer is wrong", arguments: 0..<4 as Range<UInt64>)
  func garbage(seed: UInt64) throws {
    var dice = Dice(seed)
    let folder = TestFolder()
    try Self.filled(folder, 6)
    let whole = try folder.bytes()
    for round in 0..<400 {
      var bytes = round % 4 == 0 ? dice.bytes(dice.below(3000)) : whole
      for _ in 0..<(1 + dice.below(20)) where !bytes.isEmpty {
        let place = dice.below(bytes.count)
        switch dice.below(4) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: dice.next())
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: PredictionRecord.marker + dice.bytes(5), at: place)
        default: bytes.insert(contentsOf: whole[dice.below(whole.count)...].prefix(dice.below(300)), at: place)
        }
      }
      try folder.write(bytes)
      _ = Self.found(try Self.store(folder), of: 6)
    }
  }

  @Test("a file of nothing but false beginnings is given up soon")
  func falseBeginnings() throws {
    let head = PredictionRecord.marker + [0, 0, 0, 1, 0]
    let bytes = (0..<4096).flatMap { _ in head }
    var scanner = RecordScanner(size: bytes.count)
    let done = bytes.withUnsafeBytes { scanner.scan($0, isEnd: true) { _ in Issue.record("no record is sound") } }
    #expect(done == bytes.count && scanner.damagedBytes == bytes.count)
  }

  @Test("records are found in pieces of any length as in one")
  func pieces() throws {
    let folder = TestFolder()
    try Self.filled(folder, 5)
    let bytes = try folder.bytes()
    for length in 1..<bytes.count {
      var scanner = RecordScanner(size: bytes.count)
      var held: [UInt8] = []
      var found = 0
      for start in stride(from: 0, to: bytes.count, by: length) {
        held += bytes[start..<min(start + length, bytes.count)]
        let isEnd = start + length >= bytes.count
        let done = held.withUnsafeBytes { scanner.scan($0, isEnd: isEnd) { _ in found += 1 } }
        held.removeFirst(done)
      }
      #expect(found == 5 && scanner.damagedBytes == FileHead.size, "\(length)")
    }
  }

  @Test("the file stays within twice the capacity, and keeps the newest")
  func bounded() throws {
    let folder = TestFolder()
    let store = try Self.store(folder, capacity: 40_000)
    for number in 0..<3000 { store.put(prediction(number), for: request(number).key, now: 100) }
    let size = try folder.bytes().count
    #expect(size <= 80_000 + 300 && size > FileHead.size)
    let kept = store.statistics.entries
    #expect(store.statistics.evictions == 3000 - kept && store.statistics.unwritten == 0)
    let next = try Self.store(folder, capacity: 40_000)
    #expect(next.statistics.entries == kept)
    #expect((3000 - kept..<3000).allSatisfy { next.prediction(for: request($0).key, now: 100) == prediction($0) })
    // Less capacity after a restart: the end of the file counts.
    let small = try Self.store(folder, capacity: 4000)
    #expect(small.prediction(for: request(2999).key, now: 100) != nil && small.statistics.bytes <= 4000)
  }

  @Test("stores that share a file add to it and never damage it")
  func shared() async throws {
    let folder = TestFolder()
    // Small: they write it anew again and again.
    let stores = try (0..<3).map { _ in try Self.store(folder, capacity: 40_000) }
    await withTaskGroup(of: Void.self) { group in
      for (place, store) in stores.enumerated() {
        group.addTask {
          for number in 0..<400 {
            store.put(prediction(number * 3 + place), for: request(number * 3 + place).key, now: 100)
          }
        }
      }
    }
    #expect(stores.allSatisfy { Self.found($0, of: 1200) > 50 })
    let next = try Self.store(folder, capacity: 40_000)
    #expect(Self.found(next, of: 1200) > 100)
    #expect(next.statistics.entries > 100)
  }

  @Test("what one store forgets is gone from the file, and from the others at their next entry")
  func forgets() throws {
    let folder = TestFolder()
    let store = try Self.store(folder)
    let other = try Self.store(folder)
    for number in 0..<10 { store.put(prediction(number), for: request(number).key, now: 100) }
    other.put(prediction(20), for: request(20).key, now: 100)
    #expect(other.statistics.entries == 1)
    // Whoever still has the file open finds nothing in it.
    let held = try OpenFile.regular(folder.file)
    try store.erase()
    #expect(try held.size == 0)
    #expect(Folder.names(in: folder.path).isEmpty)
    #expect(Self.found(store, of: 30) == 0)
    other.put(prediction(21), for: request(21).key, now: 100)
    #expect(Self.found(other, of: 30) == 1)
    #expect(Self.found(try Self.store(folder), of: 30) == 1)
    // Forgetting nothing is fine.
    try store.erase()
    try store.erase()
    store.put(prediction(1), for: request(1).key, now: 100)
    #expect(Self.found(try Self.store(folder), of: 30) == 1)
  }

  @Test("what was there is gone once all is erased, also what was being written just then")
  func erasedMeanwhile() async throws {
    let folder = TestFolder()
    let store = try Self.store(folder)
    @Sendable func isThere(_ number: Int) -> Bool { store.prediction(for: request(number).key, now: 100) != nil }
    for round in 0..<60 {
      let numbers = round * 8..<round * 8 + 8
      let seen: [Int] = try await withThrowingTaskGroup(of: [Int].self) { group in
        for number in numbers {
          group.addTask {
            store.put(prediction(number), for: request(number).key, now: 100)
            return []
          }
        }
        group.addTask {
          let seen = numbers.filter(isThere)
          try store.erase()
          return seen
        }
        return try await group.reduce(into: [Int]()) { $0 += $1 }
      }
      #expect(!seen.contains(where: isThere), "\(round)")
    }
  }

  @Test("without the secret, or with another, a sealed file tells nothing; a plain one is not believed")
  func sealed() throws {
    let folder = TestFolder()
    let seal = try PredictionSeal(secret: Self.secret)
    try Self.filled(folder, 5, seal: seal)
    let sealed = try folder.bytes()
    #expect(Self.found(try Self.store(folder), of: 5) == 0)
    try folder.write(sealed)
    let other = try PredictionSeal(secret: [UInt8](repeating: 8, count: 32))
    #expect(Self.found(try Self.store(folder, seal: other), of: 5) == 0)
    try folder.write(sealed)
    #expect(Self.found(try Self.store(folder, seal: seal), of: 5) == 5)
    try Self.filled(folder, 5)
    #expect(Self.found(try Self.store(folder, seal: seal), of: 5) == 0)
    #expect(!String(decoding: try folder.bytes(), as: UTF8.self).contains("answer"))
    #expect(throws: PredictionSeal.Failure.shortSecret(31)) {
      try PredictionSeal(secret: Array(Self.secret.dropLast()))
    }
  }

  @Test("folders, links and files with two names are refused; without a path there is no file")
  func refused() throws {
    let folder = TestFolder()
    #expect(throws: FileError.self) { try PredictionStore(capacity: 1 << 20, path: folder.path, now: 0) }
    #expect(throws: FileError.self) { try PredictionStore(capacity: 1 << 20, path: folder.path + "/no/file", now: 0) }
    try folder.write([1])
    #expect(symlink(folder.file, folder.path + "/link") == 0)
    #expect(throws: FileError.self) { try PredictionStore(capacity: 1 << 20, path: folder.path + "/link", now: 0) }
    #expect(link(folder.file, folder.path + "/second") == 0)
    #expect(throws: FileError.self) { try Self.store(folder) }
    #expect(try folder.bytes() == [1])
    let store = try PredictionStore(capacity: 1 << 20, now: 0)
    store.put(prediction(1), for: request(1).key, now: 0)
    #expect(store.prediction(for: request(1).key, now: 1) == prediction(1))
    try store.erase()
    #expect(store.prediction(for: request(1).key, now: 1) == nil)
  }

  @Test("a file that cannot be written any more costs no answer in memory")
  func unwritable() throws {
    let folder = TestFolder()
    let store = try Self.store(folder)
    unlink(folder.file)
    #expect(mkdir(folder.file, 0o700) == 0)
    store.put(prediction(1), for: request(1).key, now: 100)
    #expect(Self.found(store, of: 2) == 1)
    #expect(store.statistics.unwritten == 1)
    rmdir(folder.file)
  }
}
