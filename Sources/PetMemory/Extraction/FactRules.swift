// SPDX-License-Identifier: Apache-2.0
import PetText

/// How people tell facts, and how they ask about them: `prompts/memory.json`.
package struct FactRules: Sendable, Decodable {
  /// What is said, and what it means. Templates are filled from the slots of the pattern.
  struct Rule: Sendable, Decodable {
    let say: [FactPattern]
    let kind: Fact.Kind
    /// Missing: "user". `{other}` is who was spoken of last.
    let subject: String?
    let topic: String?
    /// Missing: what the slot `value` holds.
    let value: String?
    let text: String?
    let importance: Double?
    let confidence: Double?
    let single: Bool?
    /// Days until it expires; from its date, where it has one.
    let days: Int?
    let retract: Bool?
  }

  let rules: [Rule]
  /// What is kept for a while of plain statements that no rule reads.
  let fallbacks: [Rule]
  /// Words by which a statement hangs on what was said before, and says little later.
  let vague: Set<String>
  /// Words that make more of a statement than a plain fact: "I hate my life".
  let personal: Set<String>
  let corrections: [FactPattern]
  /// How a sentence begins that says anew what was said before: "scrap that".
  let revisions: [FactPattern]
  /// Words after which nothing is meant as a fact: "if", "wish".
  let unreal: Set<String>
  /// Words by which others are quoted, and opinions told.
  let reported: Set<String>
  let negations: Set<String>
  /// A sentence that begins with one is a question, with or without its mark.
  let questions: Set<String>
  /// What takes back a whole message: "just kidding".
  let jokes: [String]
  /// What is never kept, however it is said, in one word or two: "password", "recovery phrase".
  let secrets: Set<String>
  /// Words beside which even a short number is somebody's: "phone", "account".
  let numbered: Set<String>
  /// Words that may come before "I" where a sentence about the speaker begins.
  let leads: Set<String>
  /// Words that begin what leans on the line before: "no, on Thursday".
  let leaning: Set<String>
  /// What says that something told before is otherwise: "i meant"; behind "^" at the beginning of a line.
  let correcting: [String]
  /// What says that something has come to an end or has changed: "gave up".
  let changing: [String]
  /// Words beside which "it" stands for nothing: "raining".
  let impersonal: Set<String>
  /// Words beside which a line is not kept as it was said: "code".
  let guarded: Set<String>
  /// Words for others: "she".
  let others: Set<String>
  /// What is nobody's business where it is told of others: "dementia".
  let ailments: Set<String>
  /// Words that end a phrase.
  let stops: Phrases
  /// Words with which no phrase begins.
  let never: Set<String>
  /// Words that are no names.
  let ordinary: Set<String>
  let relations: [String: String]
  let animals: Set<String>
  /// What the slots of these names hold: "feeling", "job".
  let lists: [String: Set<String>]
  /// Words of a question by the kind of fact that answers it.
  let cues: [String: [Fact.Kind]]
  /// Words that mean nearly the same.
  let synonyms: [[String]]
  /// Names of classes, with what belongs to them: "instrument", "cello".
  let classes: [String: [String]]
  /// Words that say nothing about what is asked.
  let empty: Set<String>

  /// Those that are built in.
  package static let standard: FactRules = BuiltInText.decode("memory.json", PackageResources.memory_json)

  /// The common name of a relation: "mother" for "mum", "older sister" being a sister.
  func relation(_ words: String) -> String? { relations[words] }

  func isOrdinary(_ word: String) -> Bool { ordinary.contains(word) || never.contains(word) }
}
