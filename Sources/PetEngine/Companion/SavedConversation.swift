import FoundationEssentials
import PetCompanion
import PetLanguage
import PetMemory
import PetRuntime

/// A conversation with a pet that is kept under a name, to go on with it after a restart: its words, in a file that only its
/// person may read, sealed with the key of the pet's memory. Keys and values are not in it; they are computed again.
public struct SavedConversation: Sendable {
  public let path: String
  /// What a write that was interrupted leaves.
  private let draft: String
  private let name: String
  private let memory: MemoryStore?
  /// What a sealed file begins with; JSON in the clear is what an earlier version wrote.
  private static let mark = Array("PETSEAL1".utf8)
  /// Far above what a context of a model holds.
  private static let largest = 64 << 20

  /// - Parameter name: up to 64 letters, digits, `-` and `_`.
  /// - Throws: ``PetHomeError/badName(_:)``, `FileError`.
  public init(_ name: String, of home: PetHome) throws {
    try Self.check(name)
    try Folder.create(home.conversations, mode: 0o700)
    self.name = name
    memory = home.memory
    path = "\(home.conversations)/\(name).json"
    draft = "\(home.conversations)/.\(name).json.new"
  }

  public var key: ConversationKey { .named(name) }

  /// - Throws: ``PetHomeError/badName(_:)`` where no conversation can have this name.
  package static func check(_ name: String) throws(PetHomeError) {
    let isFit = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    guard isFit, (1...64).contains(name.count) else { throw .badName(name) }
  }

  /// Nil where there is none yet.
  /// - Throws: `FileError`, ``PetHomeError/damaged(_:)``.
  public func load() throws -> SessionState? { try loadWithReceipt()?.state }

  /// On disk when this returns, in the place of what was there, or not at all.
  /// - Throws: `FileError`.
  public func save(_ state: SessionState) throws { try save(state, nil) }

  /// Overwrites and removes the file, and what an interrupted write may have left beside it. What is left of earlier versions
  /// elsewhere on the disk is sealed, and noise once everything is forgotten.
  /// - Throws: `FileError`.
  public func erase() throws {
    try LockedFile.erase(draft)
    try LockedFile.erase(path)
  }

  /// What was answered to the last message, under the name that its sender gave it: who sends it again gets the same answer.
  package struct Receipt: Sendable, Equatable, Codable {
    package let key: String
    package let message: String
    package let answer: String

    package init(key: String, message: String, answer: String) {
      self.key = key
      self.message = message
      self.answer = answer
    }
  }

  /// In one file, so that neither is there without the other: the members of the state, and the receipt beside them.
  private struct Contents: Codable {
    let state: SessionState
    let receipt: Receipt?

    enum CodingKeys: CodingKey { case receipt }

    init(_ state: SessionState, _ receipt: Receipt?) {
      self.state = state
      self.receipt = receipt
    }

    init(from decoder: any Decoder) throws {
      state = try SessionState(from: decoder)
      receipt = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Receipt.self, forKey: .receipt)
    }

    func encode(to encoder: any Encoder) throws {
      try state.encode(to: encoder)
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encodeIfPresent(receipt, forKey: .receipt)
    }
  }

  /// - Throws: as ``load()``.
  package func loadWithReceipt() throws -> (state: SessionState, receipt: Receipt?)? {
    guard let bytes = try OpenFile.contents(path, atMost: Self.largest) else { return nil }
    guard let opened = opened(bytes), let contents = try? JSONDecoder().decode(Contents.self, from: Data(opened)) else {
      throw PetHomeError.damaged(path)
    }
    return (contents.state, contents.receipt)
  }

  /// - Throws: as ``save(_:)``.
  package func save(_ state: SessionState, _ receipt: Receipt?) throws {
    try write(Array(JSONEncoder().encode(Contents(state, receipt))))
  }

  /// Seals what an earlier version kept in the clear, and overwrites that.
  /// - Throws: `FileError`.
  func sealAnew() throws {
    guard let bytes = try OpenFile.contents(path, atMost: Self.largest), !bytes.starts(with: Self.mark) else { return }
    let former = try LockedFile(path, creates: false, patience: .milliseconds(500))
    try write(bytes)
    try former.overwrite()
  }

  private var place: String { "conversation \(name)" }

  /// Nil for what was sealed with another key.
  private func opened(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.starts(with: Self.mark) else { return bytes }
    return memory?.openedBeside(Array(bytes.dropFirst(Self.mark.count)), place: place)
  }

  private func write(_ bytes: [UInt8]) throws {
    let kept = try memory.map { Self.mark + (try $0.sealedBeside(bytes, place: place)) } ?? bytes
    try kept.withUnsafeBufferPointer { kept throws(FileError) in
      try OpenFile.replace(path, UnsafeRawBufferPointer(kept), mode: 0o600)
    }
  }
}
