// SPDX-License-Identifier: Apache-2.0
/// Why a pet cannot be called.
public enum PetHomeError: Error, Equatable, CustomStringConvertible {
  /// Another program has it.
  case inUse(String)
  /// A conversation cannot have this name.
  case badName(String)
  /// A conversation that cannot be read.
  case damaged(String)
  /// A conversation whose key was put aside with the damaged memory, which is kept at `memory`.
  case sealedWithFormerKey(String, memory: String)

  public var description: String {
    switch self {
    case .inUse(let folder):
      "\(folder): the pet is with you in another window, or with petd, which lets it go some time after its last line (petd --lease); talk there, or use --incognito or another --persona"
    case .badName: "a conversation's name has up to 64 letters, digits, - and _"
    case .damaged(let path): "\(path): the conversation is damaged; move the file away to begin anew"
    case .sealedWithFormerKey(let path, let memory):
      "\(path): the conversation can no longer be opened: its key went with the damaged memory, which was put aside as \(memory); leave the files where they are, and take another name for a new conversation"
    }
  }
}
