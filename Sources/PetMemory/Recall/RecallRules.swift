// SPDX-License-Identifier: Apache-2.0
import PetText

/// How people ask for what they told, and how a pet answers: `prompts/recall.json`.
package struct RecallRules: Sendable, Decodable {
  /// Ways to ask for one thing, which facts tell it, and what to say.
  struct Question: Sendable, Decodable {
    let ask: [FactPattern]
    /// What stands after "do you remember": too little to be a question by itself.
    let noun: [FactPattern]?
    let of: [Source]
    /// Whose facts, `|` between several, from the slots of the pattern; missing: "user", `*`: anybody's.
    let subject: String?
    /// Only facts that tell what somebody is called.
    let named: Bool?
    /// Only facts that tell a number.
    let counts: Bool?
    /// Whether several facts answer it at once.
    let many: Bool?
    /// Whether it asks for all there is, so that many may be told.
    let all: Bool?
    /// Whether the facts of all its sources answer it, not those of the first that has one.
    let together: Bool?
    /// What may stand in the slot `thing`.
    let things: Set<String>?
    /// The lines to answer with; missing: "any".
    let say: String?
    /// What is not known where no fact tells it; missing: then it is no question for the memory.
    let miss: String?
  }

  /// A kind of fact, as in `health/allergy`: of any topic where none is named, of none where it is empty; `*` for all.
  struct Source: Sendable, Decodable, Equatable {
    let kind: Fact.Kind?
    let topic: String?

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      kind = Fact.Kind(rawValue: parts[0])
      topic = parts.count == 2 ? parts[1] : nil
      guard kind != nil || text == "*" else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "no kind of fact: \(text)"))
      }
    }
  }

  /// Words as they are often misspelled or shortened.
  let spellings: [String: String]
  /// Words before which "sisters" is "sister's".
  let owned: Set<String>
  /// What may come before a question.
  let before: [FactPattern]
  /// What turns a question into a request: "do you remember".
  let prefixes: [FactPattern]
  /// Words that may follow a question.
  let after: Set<String>
  /// Words of a question that no fact needs to answer to.
  let fillers: Set<String>
  /// Words with which a question asks for more than was told.
  let doubt: Set<String>
  /// By relation: who else may be meant.
  let also: [String: [String]]
  let questions: [Question]
  /// Questions for what was told in the conversation before.
  let lastTime: [FactPattern]
  /// Questions about oneself that a fact answers which has all their words.
  let open: [FactPattern]
  /// The first words of facts, as they are said to the person.
  let turns: [String: String]
  /// By what is asked; "any" for the others.
  let lines: [String: [String]]
  let missing: [String]

  enum CodingKeys: String, CodingKey {
    case spellings, owned, before, prefixes, after, fillers, doubt, also, questions, open, turns, lines, missing
    case lastTime = "last_time"
  }

  /// - Throws: `DecodingError`; also where a question names lines that are missing, or a set has fewer than two of them: it
  ///   would repeat itself.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    spellings = try values.decode([String: String].self, forKey: .spellings)
    owned = try values.decode(Set<String>.self, forKey: .owned)
    before = try values.decode([FactPattern].self, forKey: .before)
    prefixes = try values.decode([FactPattern].self, forKey: .prefixes)
    after = try values.decode(Set<String>.self, forKey: .after)
    fillers = try values.decode(Set<String>.self, forKey: .fillers)
    doubt = try values.decode(Set<String>.self, forKey: .doubt)
    also = try values.decode([String: [String]].self, forKey: .also)
    questions = try values.decode([Question].self, forKey: .questions)
    lastTime = try values.decode([FactPattern].self, forKey: .lastTime)
    open = try values.decode([FactPattern].self, forKey: .open)
    turns = try values.decode([String: String].self, forKey: .turns)
    lines = try values.decode([String: [String]].self, forKey: .lines)
    missing = try values.decode([String].self, forKey: .missing)
    let wanted = Set(questions.compactMap(\.say) + ["any", "last_time", "no_last_time"])
    guard wanted.allSatisfy({ Set(lines[$0] ?? []).count >= 2 }), Set(missing).count >= 2 else {
      throw DecodingError.dataCorruptedError(
        forKey: .lines, in: values, debugDescription: "every answer needs two different lines")
    }
  }

  /// Those that are built in.
  package static let standard: RecallRules = BuiltInText.decode("recall.json", PackageResources.recall_json)
}
