import FoundationEssentials
import PetCompanion
import PetLanguage
import PetRuntime

/// A conversation with a pet that is kept under a name, to go on with it after a restart: its words, in a file that only its
/// person may read. Keys and values are not in it; they are computed again.
public struct SavedConversation: Sendable {
  public let path: String
  /// Far above what a context of a model holds.
  private static let largest = 64 << 20

  /// - Parameter name: up to 64 letters, digits, `-` and `_`.
  /// - Throws: ``PetHomeError/badName(_:)``, `FileError`.
  public init(_ name: String, of home: PetHome) throws {
    let isFit = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    guard isFit, (1...64).contains(name.count) else { throw PetHomeError.badName(name) }
    try Folder.create(home.conversations, mode: 0o700)
    path = "\(home.conversations)/\(name).json"
  }

  /// Nil where there is none yet.
  /// - Throws: `FileError`, ``PetHomeError/damaged(_:)``.
  public func load() throws -> SessionState? {
    guard let bytes = try OpenFile.contents(path, atMost: Self.largest) else { return nil }
    guard let state = try? JSONDecoder().decode(SessionState.self, from: Data(bytes)) else {
      throw PetHomeError.damaged(path)
    }
    return state
  }

  /// On disk when this returns, in the place of what was there, or not at all.
  /// - Throws: `FileError`.
  public func save(_ state: SessionState) throws {
    let bytes = try Array(JSONEncoder().encode(state))
    try bytes.withUnsafeBufferPointer { bytes throws(FileError) in
      try OpenFile.replace(path, UnsafeRawBufferPointer(bytes), mode: 0o600)
    }
  }
}
