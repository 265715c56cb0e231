// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// A Character Card V2 (https://github.com/malfoyslastname/character-card-spec-v2): the form in which programs for companions
/// exchange personas. Cards of V1 and V3 (https://github.com/kwaroran/character-card-spec-v3) are read as well and become V2.
///
/// What this type does not know of a card, in `extensions`, the `character_book` and anywhere else, is kept and written
/// again as it was, numbers digit for digit.
public struct CharacterCard: Sendable, Equatable {
  public var name = ""
  public var description = ""
  public var personality = ""
  public var scenario = ""
  public var firstMessage = ""
  public var exampleMessages = ""
  /// For people; never in a prompt.
  public var creatorNotes = ""
  public var systemPrompt = ""
  public var postHistoryInstructions = ""
  public var creator = ""
  public var characterVersion = ""
  public var alternateGreetings: [String] = []
  public var tags: [String] = []
  /// The enabled entries of the book that are always in the prompt, in their order.
  public internal(set) var constantEntries: [String] = []
  /// The other enabled entries of the book, which words of a conversation call up, in their order.
  public internal(set) var keyedEntries: [String] = []
  /// What V3 calls the character in a conversation; empty: its name.
  package var nickname = ""
  /// The traits among its extensions; see ``Persona/init(_:)``.
  package var traits = Persona(name: "", kind: "", temperament: "")
  /// The card as it was read, in the form of V2.
  package var source: JSONObject

  /// Where this project's own traits are among the extensions.
  package static let extensionKey = "pet_engine"

  package static let texts: [(key: String, path: WritableKeyPath<CharacterCard, String> & Sendable)] = [
    ("name", \.name), ("description", \.description), ("personality", \.personality), ("scenario", \.scenario),
    ("first_mes", \.firstMessage), ("mes_example", \.exampleMessages), ("creator_notes", \.creatorNotes),
    ("system_prompt", \.systemPrompt), ("post_history_instructions", \.postHistoryInstructions),
    ("creator", \.creator), ("character_version", \.characterVersion),
  ]
  package static let lists: [(key: String, path: WritableKeyPath<CharacterCard, [String]> & Sendable)] = [
    ("alternate_greetings", \.alternateGreetings), ("tags", \.tags),
  ]
  /// How many of `texts` V1 has.
  package static let textsOfV1 = 6

  public init(name: String) {
    self.name = name
    source = JSONObject()
  }
}
