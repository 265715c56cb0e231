import FoundationEssentials
import PetCompanion
import PetMemory
import PetRuntime

/// Where a pet lives between runs: a folder that only its person may read, with its state, its memory and its kept answers.
public final class PetHome: Sendable {
  public let folder: String
  let life: PetLife
  let memory: MemoryStore?
  let predictions: PredictionStore?
  /// Tells this run's conversation from others in what is remembered of it.
  let conversation: String
  /// What was wrong with its files and was kept aside, to be told.
  public let damage: [String]
  private let file: PetStateFile

  /// Opens the folder, or makes it.
  /// - Parameters:
  ///   - key: seals what is written of conversations.
  ///   - cacheBytes: of kept answers.
  /// - Throws: `PetStateFileError`, `MemoryError`, `FileError`.
  public init(
    _ folder: String, state: PetState = PetState(), key: MemoryKey? = nil, cacheBytes: Int = 4 << 20,
    now: Moment = .current()
  ) throws {
    self.folder = folder
    let memory = try MemoryStore(folder + "/memory.sqlite", key: key)
    file = PetStateFile(folder + "/state.json")
    let (life, setAside) = try file.loadOrBegin(state, seconds: now.seconds)
    self.life = life
    self.memory = memory
    // Answers are not sealed: with a key none are written.
    predictions = try PredictionStore(
      capacity: cacheBytes, path: key == nil ? folder + "/answers.cache" : nil, now: now.seconds)
    conversation = String(now.seconds)
    var damage = [setAside.map { "\($0)" }].compactMap(\.self)
    if case .setAside(let path) = memory.opening { damage.append("the memory was damaged and is kept at \(path)") }
    self.damage = damage
  }

  /// Whether the pet has said who and what it is.
  func hasMet() -> Bool { FileManager.default.fileExists(atPath: folder + "/met") }

  /// One that cannot note it introduces itself again.
  func meet() {
    _ = FileManager.default.createFile(
      atPath: folder + "/met", contents: Data(), attributes: [.posixPermissions: 0o600])
  }

  /// - Throws: `PetStateFileError`.
  func save(_ life: PetLife) throws(PetStateFileError) { try file.save(life) }
}
