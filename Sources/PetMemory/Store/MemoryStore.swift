// SPDX-License-Identifier: Apache-2.0
import Crypto
import FoundationEssentials
import Synchronization

/// What a pet remembers, in one SQLite file that only its owner may read, sealed with a key of its own in the file `.key` beside it.
///
/// What is forgotten is gone from every log and copy of the files too: the key that it was sealed with is overwritten and removed. A
/// file system that copies on write (Btrfs, ZFS), a snapshot, a backup and the controller of a flash disk may keep the key's block.
///
/// Every change is on disk when its call returns. Several processes may open the same file.
package actor MemoryStore {
  /// What to do with a file that is broken.
  package enum Damage: Sendable {
    /// Throw ``MemoryError/damaged(path:)``.
    case refuse
    /// Keep it under another name, and begin anew.
    case setAside
  }

  package enum Opening: Sendable, Equatable {
    case created
    case opened
    /// An earlier version had written the file; it is sealed with a key of its own since. What that version left in free
    /// blocks of the disk is there until the disk uses them anew. Tell the person.
    case migrated
    /// The file was broken, cut to nothing or changed without its key. It is kept at this path; the store is empty. Tell the person.
    case setAside(String)
  }

  /// At most so many facts are kept; beyond, the least important are evicted.
  package static let mostFacts = 2000

  package nonisolated let path: String
  package nonisolated let opening: Opening
  let isInMemory: Bool
  private nonisolated let beside: Mutex<[UInt8]>
  let database: MemoryDatabase
  let extractor: FactExtractor
  package nonisolated let ranking: FactRanking
  let limit: Int
  /// All facts, as they were at `version` of the file.
  var known: (facts: [Fact], version: Int64)?

  /// Opens the store in the file at `path`, or makes it, and its folder with mode 0700.
  /// - Parameters:
  ///   - key: seals a new file as well; needed for one that was sealed so.
  ///   - limit: how many facts there are at most, at least 1.
  /// - Throws: ``MemoryError``. A wrong key changes nothing that is kept.
  package init(
    _ path: String, key: MemoryKey? = nil, onDamage: Damage = .setAside, limit: Int = mostFacts,
    rules: FactRules = .standard
  ) throws(MemoryError) {
    var opening = Opening.opened
    let database: MemoryDatabase
    do {
      if try MemoryFile.prepare(path) { opening = .created }
      database = try Self.open(.file(path), path, key)
      if database.isMigrated { opening = .migrated }
    } catch {
      guard case .damaged = MemoryError(error, path: path), onDamage == .setAside else {
        throw MemoryError(error, path: path)
      }
      opening = .setAside(try MemoryFile.setAside(path))
      do {
        _ = try MemoryFile.prepare(path)
        database = try Self.open(.file(path), path, key)
      } catch {
        throw MemoryError(error, path: path)
      }
    }
    self.init(database, path: path, opening, limit, rules)
  }

  /// A store without a file, deleted when it is released. Its ``path`` is ":memory:".
  package static func inMemory(
    limit: Int = mostFacts, rules: FactRules = .standard
  ) throws(MemoryError) -> MemoryStore {
    let path = ":memory:"
    do {
      return MemoryStore(try open(.memory, path, nil), path: path, isInMemory: true, .created, limit, rules)
    } catch {
      throw MemoryError(error, path: path)
    }
  }

  private init(
    _ database: sending MemoryDatabase, path: String, isInMemory: Bool = false, _ opening: Opening, _ limit: Int,
    _ rules: FactRules
  ) {
    beside = Mutex(database.seal.secret)
    self.database = database
    self.path = path
    self.isInMemory = isInMemory
    self.opening = opening
    self.limit = max(1, limit)
    extractor = FactExtractor(rules)
    ranking = FactRanking(rules)
  }

  /// Whether the store at `path` opens with a person's key or passphrase only; nil where that cannot be told. Nothing is changed.
  package static func takesKey(_ path: String) -> Bool? { MemoryDatabase.takesKey(path) }

  /// Rows that cannot be read are damage too.
  private static func open(
    _ place: SQLiteConnection.Place, _ path: String, _ key: MemoryKey?
  ) throws -> sending MemoryDatabase {
    let database = try MemoryDatabase(place, path: path, key: key)
    _ = try database.facts()
    return database
  }

  /// What is remembered, oldest first.
  /// - Parameter former: also what was superseded or has expired.
  package func facts(at now: Int64, former: Bool = false) throws(MemoryError) -> [Fact] {
    let all = try reading()
    return former ? all : all.filter { $0.isLive(at: now) }
  }

  /// The facts to tell a model before it answers `message`, best first.
  /// - Parameters:
  ///   - count: at most so many.
  ///   - unasked: at most so many of them may be irrelevant to the message.
  package func recall(
    for message: String, count: Int, unasked: Int = 2, today: CivilDay, at now: Int64
  ) throws(MemoryError) -> [Fact] {
    ranking.recall(try reading(), for: message, count: count, unasked: unasked, today: today, at: now)
  }

  /// Marks facts that a model was told as used, so that they are evicted later.
  package func use(_ ids: [Int64], at now: Int64) throws(MemoryError) {
    guard !ids.isEmpty else { return }
    try writing {
      var facts = try all()
      // Another program may have erased some since.
      for index in facts.indices where ids.contains(facts[index].id) {
        facts[index].lastUsed = max(facts[index].lastUsed, now)
        facts[index].uses = facts[index].uses.addingReportingOverflow(1).partialValue
        try FactRow.use(facts[index], database.connection)
      }
      known?.facts = facts
    }
  }

  /// Closes the file; nothing can be done with the store afterwards.
  package func close() throws(MemoryError) {
    do { try database.connection.close() } catch { throw MemoryError(error, path: path) }
  }

  /// All facts, from memory where nobody has written since.
  func all() throws -> [Fact] {
    let version = try database.connection.integer("PRAGMA data_version") ?? -1
    if let known, known.version == version { return known.facts }
    let facts = try database.facts()
    known = (facts, version)
    return facts
  }

  private func reading() throws(MemoryError) -> [Fact] {
    do { return try all() } catch { throw MemoryError(error, path: path) }
  }

  /// All of it or nothing. The version of the file does not tell of what this connection writes: `body` leaves in `known` what
  /// is then so, or nothing.
  func writing<Result>(
    _ forgetting: MemoryDatabase.Forgetting? = nil, _ body: () throws -> Result
  ) throws(MemoryError) -> Result {
    defer { beside.withLock { $0 = database.seal.secret } }
    do {
      return try database.write(forgetting, body)
    } catch {
      known = nil
      throw MemoryError(error, path: path)
    }
  }

  /// Where the first memory that was set aside after the file `other` was last written is kept; nil: none was.
  package nonisolated func aside(since other: String) -> String? {
    isInMemory ? nil : MemoryFile.aside(of: path, since: other)
  }

  /// 32 bytes with which other files of the same pet may be sealed; others once everything is forgotten.
  package nonisolated var secret: [UInt8] { beside.withLock(\.self) }

  /// Seals what another file of the same pet is to hold.
  /// - Parameter place: what it is and where it belongs; the bytes open nowhere else.
  package nonisolated func sealedBeside(_ bytes: [UInt8], place: String) throws(MemoryError) -> [UInt8] {
    do { return Array(try FactSeal.sealed(Data(bytes), place: place, besideKey)) } catch { throw .damaged(path: path) }
  }

  /// - Returns: nil for bytes that were not sealed so, or were before everything was forgotten.
  package nonisolated func openedBeside(_ bytes: [UInt8], place: String) -> [UInt8]? {
    (try? FactSeal.opened(Data(bytes), place: place, besideKey)).map(Array.init)
  }

  private nonisolated var besideKey: SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), info: Array("pet file beside memory 2".utf8), outputByteCount: 32)
  }
}
