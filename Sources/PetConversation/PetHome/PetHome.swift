// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import PetFiles
import PetMemory

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where a pet lives between runs: a folder that only its person may read, with its state, its memory, its kept answers and
/// conversations. All but the state, which has no words, is sealed with keys that are destroyed when everything is forgotten.
public final class PetHome: Sendable {
  public let folder: String
  let record: PetRecord
  let memory: MemoryStore?
  let predictions: PredictionStore?
  /// Tells this run's conversation from others in what is remembered of it.
  let conversation: String
  /// What was wrong with its files, to be told.
  public let damage: [Damage]
  private let file: PetStateFile
  private let isSealed: Bool
  /// A pet is in one place at a time.
  private let lock: LockedFile

  /// Something about a pet's files that its person should know.
  public struct Damage: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable {
      /// A file could not be read; it is kept beside a new one.
      case keptAside = "kept_aside"
      /// Something is not written down as long as this lasts.
      case notKept = "not_kept"
      /// Something that is to go is still there.
      case notErased = "not_erased"
      /// What was kept in the clear is sealed.
      case sealed
    }

    public let kind: Kind
    /// For people, in one line.
    public let text: String
  }

  /// Opens the folder, or makes it.
  /// - Parameters:
  ///   - key: seals what is written of conversations.
  ///   - answers: which are kept; what an earlier run kept otherwise is erased.
  ///   - patience: how long to wait, and hold a thread, where another program has the pet.
  /// - Throws: ``PetHomeError``, `PetStateFileError`, `MemoryError`, `FileError`; `FolderTrustError` where others own the folder or may write there.
  public init(
    _ folder: String, state: PetState = PetState(), key: MemoryKey? = nil, answers: AnswerKeeping = .init(),
    patience: Duration = .milliseconds(500), now: Moment = .current()
  ) throws {
    self.folder = folder
    isSealed = key != nil
    try FolderTrust.check(folder)
    do throws(FileError) {
      try Folder.create(folder, mode: 0o700)
      lock = try LockedFile(folder + "/lock", creates: true, patience: patience)
    } catch {
      throw error.operation == "lock" && error.code == EWOULDBLOCK ? PetHomeError.inUse(folder) : error
    }
    let memory = try MemoryStore(folder + "/memory.sqlite", key: key)
    file = PetStateFile(folder + "/state.json")
    let (record, setAside) = try file.loadOrBegin(state, seconds: now.seconds)
    self.record = record
    self.memory = memory
    let cache = folder + "/answers.cache"
    let isCacheKept = answers.isPersisted && answers.bytes > 0
    var damage: [Damage] = []
    if let setAside {
      damage.append(Damage(kind: .keptAside, text: "\(setAside); it was kept beside it, and a new one begun"))
    }
    if !isCacheKept {
      var earlier = PredictionFile(path: cache, cacheCapacity: 0, seal: nil)
      do throws(FileError) { try earlier.erase() } catch {
        damage.append(Damage(kind: .notErased, text: "answers of earlier are not erased: \(error)"))
      }
    }
    let seal = try PredictionSeal(secret: memory.secret)
    func store(_ path: String?) throws(FileError) -> PredictionStore {
      try PredictionStore(capacity: answers.bytes, path: path, seal: seal, now: now.seconds)
    }
    if answers.bytes == 0 {
      predictions = nil
    } else {
      do throws(FileError) {
        predictions = try store(isCacheKept ? cache : nil)
      } catch {
        // Answers can be made again: without a file they last as long as this run.
        damage.append(Damage(kind: .notKept, text: "answers are not kept: \(error)"))
        predictions = try store(nil)
      }
    }
    conversation = String(now.seconds)
    if case .setAside(let path) = memory.opening {
      damage.append(Damage(kind: .keptAside, text: "the memory was damaged and is kept at \(path)"))
    }
    if memory.opening == .migrated {
      damage.append(
        Damage(
          kind: .sealed,
          text:
            "what an earlier version kept in the clear is sealed; copies in free blocks of the disk stay until it uses them anew"
        ))
    }
    self.damage = damage
    if memory.opening == .migrated {
      for name in Folder.names(in: conversations) where name.hasSuffix(".json") && !name.hasPrefix(".") {
        // One that cannot be is sealed when it is saved next.
        try? SavedConversation(String(name.dropLast(5)), of: self).sealAnew()
      }
    }
  }

  /// Whether a pet lives in a folder; nothing is made.
  package static func isThere(_ folder: String) -> Bool { access(folder + "/lock", F_OK) == 0 }

  /// Of conversations that are kept by name.
  var conversations: String { folder + "/conversations" }

  /// - Throws: `FileError`: some may then still be there.
  func eraseConversations() throws(FileError) {
    try Self.erase(Folder.names(in: conversations).map { "\(conversations)/\($0)" })
  }

  /// Seals what is kept of answers with the key that the memory has, after everything was forgotten.
  func resealAnswers() throws {
    guard let memory else { return }
    predictions?.reseal(try PredictionSeal(secret: memory.secret))
  }

  /// Erases states that were set aside: they may tell of danger.
  /// - Throws: `FileError`: some may then still be there.
  func eraseAsides() throws(FileError) { try Self.erase(file.asides) }

  /// One that cannot be erased keeps no other from it.
  private static func erase(_ paths: [String]) throws(FileError) {
    var failure: FileError?
    for path in paths {
      do throws(FileError) { try LockedFile.erase(path) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Whether the pet has said who and what it is.
  func hasMet() -> Bool { FileManager.default.fileExists(atPath: folder + "/met") }

  /// One that cannot note it introduces itself again. Without a draft, which a kill would leave behind.
  func meet() { try? OpenFile.create(folder + "/met", text: "") }

  /// Where memories are sealed with a key nothing else tells of danger either: what is not sealed leaves it out.
  /// - Throws: `PetStateFileError`.
  func save(_ record: PetRecord) throws(PetStateFileError) {
    var kept = record
    if isSealed { kept.leaveOutDanger() }
    try file.save(kept)
  }

  /// As ``save(_:)``; the bytes of what was kept before are overwritten.
  /// - Throws: `PetStateFileError`; `FileError` where they cannot be.
  func saveErasing(_ record: PetRecord) throws {
    guard access(file.path, F_OK) == 0 else { return try save(record) }
    let former: LockedFile
    do throws(FileError) {
      former = try LockedFile(file.path, creates: false, patience: .zero)
    } catch {
      try save(record)
      throw error
    }
    try save(record)
    try former.overwrite()
  }
}
