// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles
import PetLanguage
import PetMemory
import PetRuntime

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A conversation with a pet that is kept under a name, to go on with it after a restart: its words, in a file that only its
/// person may read, sealed with the key of the pet's memory. Keys and values are not in it; they are computed again.
public struct SavedConversation: Sendable {
  package let path: String
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
    draft = FileDraft.path(of: path)
  }

  public var key: ConversationKey { .named(name) }

  /// - Throws: ``PetHomeError/badName(_:)`` where no conversation can have this name.
  package static func check(_ name: String) throws(PetHomeError) {
    let isFit = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    guard isFit, (1...64).contains(name.count) else { throw .badName(name) }
  }

  /// Nil where nothing was said yet that may be kept.
  /// - Throws: `FileError`, ``PetHomeError/damaged(_:)``, ``PetHomeError/sealedWithFormerKey(_:memory:)``.
  public func load() throws -> SessionState? { try loadWithNotes()?.state }

  /// On disk when this returns, in the place of the words that were there, or not at all. Words of danger, and those beside them, are
  /// left out.
  /// - Throws: `FileError`.
  public func save(_ state: SessionState) throws {
    var words = WrittenConversation(try? loadWithNotes())
    words.follow(state)
    try save(words)
  }

  /// Overwrites and removes the file, and what an interrupted write may have left beside it. What is left of earlier versions
  /// elsewhere on the disk is sealed, and noise once everything is forgotten.
  /// - Throws: `FileError`.
  public func erase() throws {
    try LockedFile.erase(draft)
    try LockedFile.erase(path)
  }

  /// What is kept beside the words.
  package struct Notes: Sendable, Equatable {
    /// So many answers can be asked for again.
    static let mostReceipts = 16

    /// The newest last.
    package private(set) var receipts: [Receipt] = []
    /// Turns whose words are kept nowhere: they tell of danger, or stand beside such words.
    package private(set) var unkeptTurns = 0
    /// When the last of them was, in seconds since 1970.
    package private(set) var lastUnkept: Int64?

    package init() {}

    package mutating func add(_ receipt: Receipt) {
      receipts.removeAll { $0.key == receipt.key }
      receipts = (receipts + [receipt]).suffix(Self.mostReceipts)
    }

    package mutating func noteUnkeptTurn(at seconds: Int64) {
      unkeptTurns = min(unkeptTurns, .max - 1) + 1
      lastUnkept = seconds
    }
  }

  /// What was answered to a message, under the name that its sender gave it: who sends it again gets the same answer.
  package struct Receipt: Sendable, Equatable {
    package let key: String
    /// Of the message, which stands in the conversation or nowhere.
    package let digest: SHA256Hash
    /// Nil where its words were kept nowhere, and the conversation was read from its file since.
    package let answer: String?
    /// Whether the answer is not written down.
    private let isPassing: Bool

    /// - Parameter isPassing: whether the answer may hold words that are kept nowhere.
    package init(key: String, digest: SHA256Hash, answer: String, isPassing: Bool) {
      self.key = key
      self.digest = digest
      self.answer = answer
      self.isPassing = isPassing
    }
  }

  /// In one file, so that neither is there without the other: the members of the state, and the notes beside them.
  private struct Contents: Codable {
    let state: SessionState?
    let notes: Notes

    enum CodingKeys: String, CodingKey {
      /// There is no state.
      case isEmpty = "empty"
      /// The only one that an earlier version kept.
      case receipt
      case notes
    }

    init(_ state: SessionState?, _ notes: Notes) {
      self.state = state
      self.notes = notes
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      let isEmpty = try values.decodeIfPresent(Bool.self, forKey: .isEmpty) ?? false
      state = isEmpty ? nil : try SessionState(from: decoder)
      var notes = try values.decodeIfPresent(Notes.self, forKey: .notes) ?? Notes()
      if let receipt = try values.decodeIfPresent(Receipt.self, forKey: .receipt) { notes.add(receipt) }
      self.notes = notes
    }

    func encode(to encoder: any Encoder) throws {
      try state?.encode(to: encoder)
      var values = encoder.container(keyedBy: CodingKeys.self)
      if state == nil { try values.encode(true, forKey: .isEmpty) }
      if notes != Notes() { try values.encode(notes, forKey: .notes) }
    }
  }

  /// Nil where nothing is kept.
  /// - Throws: as ``load()``.
  package func loadWithNotes() throws -> (state: SessionState?, notes: Notes)? {
    guard let bytes = try OpenFile.contents(path, atMost: Self.largest) else { return nil }
    guard let opened = opened(bytes) else {
      guard let aside = memory?.aside(since: path) else { throw PetHomeError.damaged(path) }
      throw PetHomeError.sealedWithFormerKey(path, memory: aside)
    }
    guard let contents = try? JSONDecoder().decode(Contents.self, from: Data(opened)) else {
      throw PetHomeError.damaged(path)
    }
    return (contents.state, contents.notes)
  }

  /// - Throws: as ``save(_:)``.
  package func save(_ words: WrittenConversation) throws {
    try write(Array(JSONEncoder().encode(Contents(words.state, words.notes))))
  }

  /// Whether something is kept under this name; nothing is made. A name that none can have is there for nobody.
  package static func isThere(_ name: String, in home: PetHome) -> Bool {
    (try? check(name)) != nil && access("\(home.conversations)/\(name).json", F_OK) == 0
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

extension SavedConversation.Notes: Codable {
  private enum CodingKeys: String, CodingKey {
    case receipts
    case unkeptTurns = "unkept_turns"
    case lastUnkept = "last_unkept"
  }

  /// What a file says beyond what can be is bounded.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    receipts = try values.decode([SavedConversation.Receipt].self, forKey: .receipts).suffix(Self.mostReceipts)
    unkeptTurns = max(0, try values.decode(Int.self, forKey: .unkeptTurns))
    lastUnkept = try values.decodeIfPresent(Int64.self, forKey: .lastUnkept)
  }
}

extension SavedConversation.Receipt: Codable {
  /// An earlier version kept the message itself.
  private enum CodingKeys: CodingKey { case key, digest, answer, message }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    key = try values.decode(String.self, forKey: .key)
    digest =
      try values.decodeIfPresent(SHA256Hash.self, forKey: .digest)
      ?? SHA256Hash(of: Array(values.decode(String.self, forKey: .message).utf8))
    answer = try values.decodeIfPresent(String.self, forKey: .answer)
    isPassing = false
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(key, forKey: .key)
    try values.encode(digest, forKey: .digest)
    if !isPassing { try values.encodeIfPresent(answer, forKey: .answer) }
  }
}
