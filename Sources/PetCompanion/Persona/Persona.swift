// SPDX-License-Identifier: Apache-2.0
/// Who a pet is: what a person may write in a file, or a character card may bring.
///
/// Texts are as they were written, with `{{char}}` and `{{user}}` in them; ``pet`` and ``instructions(_:memories:user:limit:format:)``
/// make them fit for a model.
public struct Persona: Sendable, Equatable {
  /// What a person may have said, and what this pet answers.
  public struct Exchange: Sendable, Equatable {
    public var user: String
    public var pet: Reply

    public init(user: String, pet: Reply) {
      self.user = user
      self.pet = pet
    }
  }

  public var name: String
  /// What kind of creature.
  public var kind: String
  /// A few words, such as `shy and gentle`.
  public var temperament: String
  public var description = ""
  public var personality = ""
  public var scenario = ""
  /// What it may say first.
  public var greetings: [Reply] = []
  public var examples: [Exchange] = []
  public var foods: [String] = []
  public var games: [String] = []
  /// How it speaks: a sentence for each habit.
  public var habits: [String] = []
  /// What is always true in its world: the constant entries of a card's book.
  public var facts: [String] = []
  /// What is true of what may be spoken of: the other entries of a card's book.
  public var lore: [String] = []
  /// A card's own words to the model. They are added to those of this project and never take their place.
  public var directions = ""
  public var version = "1"
  /// What it can do, in the order of ``PetAction``.
  public var actions = PetAction.allCases
  public var drift = PetDrift()

  public init(name: String, kind: String, temperament: String) {
    self.name = name
    self.kind = kind
    self.temperament = temperament
  }
}

extension Persona: Codable {
  /// As the text of its file, so that what is restored is checked like what is read.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(decoding: PersonaFile.write(self), as: UTF8.self))
  }

  /// - Throws: ``PersonaError``, and what `decoder` throws.
  public init(from decoder: any Decoder) throws {
    self = try PersonaFile.restore(Array(decoder.singleValueContainer().decode(String.self).utf8))
  }
}
