import PetEngine

/// What `--persona` names.
enum Persona {
  case pet(PromptFormat.Pet)
  case text(String)

  /// The pets, for people to read.
  static var names: String { PromptFormat.standard.pets.keys.sorted().joined(separator: ", ") }

  /// A persona must leave room in the context; this bounds what is read, the model bounds the rest.
  private static let limit = 64 << 10

  /// - Parameter nameOrPath: a pet of `prompts/format.json`, else the path of a text file.
  init(_ nameOrPath: String) throws {
    if let pet = PromptFormat.standard.pets[nameOrPath.lowercased()] {
      self = .pet(pet)
    } else {
      let text = String(decoding: try InputFile.bytes(nameOrPath, limit: Self.limit), as: UTF8.self)
      self = .text(String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()))
    }
  }

  /// The system text in the form that `model` was trained for.
  func instructions(for model: LanguageModel) -> String {
    switch self {
    case .text(let text): text
    case .pet(let pet): model.instructions(for: pet, PetState())
    }
  }
}
