// SPDX-License-Identifier: Apache-2.0
import PetText

/// In which words a model of this project was trained to be told who it is.
package enum PromptForm: Int, Sendable {
  /// A header of words: for models that know little language besides.
  case header = 1
  /// Sentences, as a model of others reads them, so that any character can be played.
  case sentences = 2
}

/// How a pet, its state and its memories become the system text: `prompts/format.json`, by which the models of this project
/// were trained.
package struct PromptFormat: Sendable, Equatable, Decodable {
  /// Which ``PromptForm`` a model was trained for is in its GGUF metadata, under this key, as a number.
  package static let metadataKey = "pet.prompt_format"
  /// The GGUF metadata key under which a model has the repetition penalty that suits it, in percent: 100 is none.
  package static let repetitionPenaltyKey = "pet.repetition_penalty"
  /// The GGUF metadata keys of a model's ``ReplyTrust``, in hundredths of nats: a written reply that is likelier right takes the place
  /// of its own.
  package static let evenSurpriseKey = "pet.surprise_even"
  package static let surpriseScaleKey = "pet.surprise_scale"
  package struct Pet: Sendable, Equatable, Decodable {
    package let name: String
    package let kind: String
    package let temperament: String

    package init(name: String, kind: String, temperament: String) {
      self.name = name
      self.kind = kind
      self.temperament = temperament
    }
  }

  package struct Bands: Sendable, Equatable, Decodable {
    package let hunger: [String]
    package let energy: [String]
    package let mood: [String]
  }

  /// By short name.
  package let pets: [String: Pet]
  package let bands: Bands
  let header: String
  let memories: String
  let plain: String
  let plainMemories: String
  /// By kind of danger (``Danger``): what a model says instead of a reply where a line tells of it. One token in every vocabulary.
  package let flags: [String: String]
  package let emotions: [String]
  package let actions: [String]

  enum CodingKeys: String, CodingKey {
    case pets, bands, header, memories, plain, flags, emotions, actions
    case plainMemories = "plain_memories"
  }

  /// The form that is built in.
  package static let standard: PromptFormat = BuiltInText.decode("format.json", PackageResources.format_json)

  /// The system text for a model that was trained for ``PromptForm/header``.
  package func header(_ pet: Pet, _ state: PetState, memories: [String] = []) -> SystemText {
    systemText(header, pet, state) + known(memories, isCompact: true)
  }

  /// The system text for any other model, in sentences.
  package func instructions(_ pet: Pet, _ state: PetState, memories: [String] = []) -> SystemText {
    systemText(plain, pet, state) + known(memories, isCompact: false)
  }

  /// What stands behind a system text of what is known of the person.
  /// - Parameter isCompact: whether that is a ``header(_:_:memories:)``.
  package func known(_ memories: [String], isCompact: Bool) -> SystemText {
    known(memories, of: .memories, isCompact ? self.memories : plainMemories)
  }

  /// What stands behind a system text where turns have been left out.
  /// - Parameter isCompact: whether that is a ``header(_:_:memories:)``.
  package func summary(_ words: String, isCompact: Bool) -> SystemText {
    known([words], of: .summary, isCompact ? memories : plainMemories)
  }

  private func systemText(_ template: String, _ pet: Pet, _ state: PetState) -> SystemText {
    let values = [
      "name": pet.name, "kind": pet.kind, "temperament": pet.temperament,
      "hunger": Self.band(state.hunger, bands.hunger), "energy": Self.band(state.energy, bands.energy),
      "mood": Self.band(state.mood, bands.mood),
    ]
    return Self.parts(template).reduce(into: SystemText()) { $0.append($1.part, Self.fill($1.text, values)) }
  }

  private func known(_ items: [String], of part: SystemText.Part, _ frame: String) -> SystemText {
    guard !items.isEmpty else { return SystemText() }
    // One line each, whatever a person put into it.
    let lines = items.map(\.singleSpaced)
    return SystemText(part, frame.replacing("{memories}", with: lines.joined(separator: "; "), maxReplacements: 1))
  }

  /// Lines and sentences of a template: one that says how the pet fares is of its state, one that names it of its persona.
  private static func parts(_ template: String) -> [SystemText.Piece] {
    var parts: [SystemText.Piece] = []
    var sentence = ""
    for character in template + "\n" {
      let ends = character == "\n" || (character == " " && sentence.last == ".")
      if ends, !sentence.isEmpty {
        let part: SystemText.Part =
          ["{hunger}", "{energy}", "{mood}"].contains(where: sentence.contains)
          ? .state : ["{name}", "{kind}", "{temperament}"].contains(where: sentence.contains) ? .persona : .rules
        parts.append(.init(part: part, text: sentence))
        sentence = ""
      }
      sentence.append(character)
    }
    return parts
  }

  private static func fill(_ template: String, _ values: [String: String]) -> String {
    // In one pass: what is filled in is never looked at again.
    var text = ""
    var rest = template[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      text += rest[..<open]
      text += values[String(rest[rest.index(after: open)..<close])] ?? ""
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }

  /// The word for a value from 0 to 100.
  static func band(_ value: Int, _ words: [String]) -> String {
    words.isEmpty ? "" : words[value * words.count / 101]
  }
}
