// SPDX-License-Identifier: Apache-2.0
import PetText

extension Persona {
  /// The persona that a card describes.
  ///
  /// Cards know no kind, temperament, favourites, actions or drift: they are taken from the extension `pet_engine` where a
  /// card has it, kind and temperament else from its own words (``CardTraits``). `post_history_instructions` and `creator_notes` have
  /// no part in it.
  public init(_ card: CharacterCard) {
    self = card.traits
    name = Self.line(card.nickname)
    if name.isEmpty { name = Self.line(card.name) }
    let words = CardTraits(card)
    if kind.isEmpty { kind = words.kind }
    if temperament.isEmpty { temperament = words.temperament }
    (description, personality, scenario) = (card.description, card.personality, card.scenario)
    (directions, facts, lore) = (card.systemPrompt, card.constantEntries, card.keyedEntries)
    version = Self.line(card.characterVersion)
    if version.isEmpty { version = "1" }
    let greetings = ([card.firstMessage] + card.alternateGreetings).map(reply).filter {
      !$0.text.isEmpty && $0.written.utf8.count <= PersonaLimits.lineBytes
    }
    self.greetings = Array(greetings.prefix(PersonaLimits.members))
    let examples = CardExamples.read(card.exampleMessages, name: card.name)
      .map { Exchange(user: $0.user, pet: reply($0.char)) }
      .filter { max($0.user.utf8.count, $0.pet.written.utf8.count) <= PersonaLimits.lineBytes }
    self.examples = Array(examples.prefix(PersonaLimits.members))
  }

  private static func line(_ text: String) -> String {
    PromptText.line(text).prefix(bytes: PersonaLimits.nameBytes).trimmed
  }

  /// A card's words as a reply: with emotion and actions where they end in a mark of this project's form.
  private func reply(_ text: String) -> Reply {
    guard var reply = try? Reply(marked: text) else { return Reply(text: text) }
    reply.actions.removeAll { !actions.contains($0) }
    return reply
  }
}

extension CharacterCard {
  /// A card of a persona.
  /// - Parameter card: what the persona was read from: all that the persona does not change in it stays as it is.
  public init(_ persona: Persona, over card: CharacterCard? = nil) {
    self = card ?? CharacterCard(name: persona.name)
    let before = card.map(Persona.init)
    func differs<Value: Equatable>(_ path: KeyPath<Persona, Value>) -> Bool {
      before?[keyPath: path] != persona[keyPath: path]
    }
    if differs(\.name) { (name, nickname) = (persona.name, "") }
    if differs(\.description) { description = persona.description }
    if differs(\.personality) { personality = persona.personality }
    if differs(\.scenario) { scenario = persona.scenario }
    if differs(\.directions) { systemPrompt = persona.directions }
    if differs(\.version) { characterVersion = persona.version }
    if differs(\.greetings) {
      firstMessage = persona.greetings.first?.written ?? ""
      alternateGreetings = persona.greetings.dropFirst().map(\.written)
    }
    if differs(\.examples) {
      exampleMessages = CardExamples.write(persona.examples.map { ($0.user, $0.pet.written) })
    }
    if differs(\.facts), !(before == nil && persona.facts.isEmpty) { setConstantEntries(persona.facts) }
    if differs(\.kind) || differs(\.temperament) || differs(\.foods) || differs(\.games) || differs(\.actions)
      || differs(\.drift) || differs(\.habits)
      // What follows from other words of the card would change with them.
      || Persona(self).kind != persona.kind || Persona(self).temperament != persona.temperament
    {
      setTraits(of: persona)
    }
  }
}

/// The `mes_example` of a card: blocks that begin with `<START>`, in which lines begin with who speaks.
package enum CardExamples {
  package static func write(_ exchanges: [(user: String, char: String)]) -> String {
    exchanges.map { "<START>\n{{user}}: \($0.user)\n{{char}}: \($0.char)" }.joined(separator: "\n")
  }

  /// What the person said and what the character answered; a line without an answer, or without a question, is no exchange.
  package static func read(_ text: String, name: String) -> [(user: String, char: String)] {
    var exchanges: [(user: String, char: String)] = []
    var (user, char): (String?, String?)
    func finish() {
      if let user, let char { exchanges.append((user.trimmed, char.trimmed)) }
      (user, char) = (nil, nil)
    }
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      if line.lowercased().trimmed == "<start>" {
        finish()
      } else if let said = said(line, by: ["{{user}}", "<user>"]) {
        finish()
        user = said
      } else if let said = said(line, by: ["{{char}}", "<bot>", name.lowercased()]) {
        char = char.map { $0 + "\n" + said } ?? said
      } else if char != nil {
        char? += "\n" + line
      } else {
        user? += "\n" + line
      }
    }
    finish()
    return exchanges
  }

  private static func said(_ line: Substring, by speakers: [String]) -> String? {
    guard let colon = line.firstIndex(of: ":"), speakers.contains(String(line[..<colon]).lowercased().trimmed) else {
      return nil
    }
    return String(line[line.index(after: colon)...]).trimmed
  }
}

extension String {
  /// The longest beginning of whole code points that has at most so many bytes: a character may have any number of them.
  package func prefix(bytes: Int) -> String {
    var room = bytes
    return String(
      String.UnicodeScalarView(
        unicodeScalars.prefix { scalar in
          room -= UTF8.width(scalar)
          return room >= 0
        }))
  }
}
