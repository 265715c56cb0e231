// SPDX-License-Identifier: Apache-2.0
import PetText

/// What pets say to the most frequent short messages, written by hand: `prompts/frequent.json`. Where a model is slow these are
/// served in its place.
///
/// They fit any conversation that is calm: a farewell after words of danger is not answered here.
package struct FrequentReplies: Sendable, Decodable {
  package struct Message: Sendable, Decodable {
    /// Other ways to say the same, in lower case, without closing punctuation.
    package let forms: [String]
    /// Whether it asks something, with or without a question mark.
    package let isQuestion: Bool
    /// Whether it may be answered here also shortly after words of danger.
    package let isForAnyTime: Bool
    /// What of the pet's state the reply shows, the most pressing first.
    package let dimensions: [Dimension]
    /// By pet, then by band.
    package let replies: [String: Bands]

    enum CodingKeys: String, CodingKey {
      case forms, replies
      case isQuestion = "question"
      case isForAnyTime = "anytime"
      case dimensions = "state"
    }

    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      forms = try container.decodeIfPresent([String].self, forKey: .forms) ?? []
      isQuestion = try container.decodeIfPresent(Bool.self, forKey: .isQuestion) ?? false
      isForAnyTime = try container.decodeIfPresent(Bool.self, forKey: .isForAnyTime) ?? false
      dimensions = try container.decodeIfPresent([Dimension].self, forKey: .dimensions) ?? []
      replies = try container.decode([String: Bands].self, forKey: .replies)
    }
  }

  package enum Dimension: String, Sendable, Decodable {
    case hunger, energy, mood
  }

  /// Replies by the words of `prompts/format.json` for a state, "full|fed" standing for both; "any" for the others. A plain list is
  /// for any state.
  package struct Bands: Sendable, Decodable {
    package let byBand: [String: [String]]

    package init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let list = try? container.decode([String].self) {
        byBand = ["any": list]
      } else {
        byBand = try container.decode([String: [String]].self).reduce(into: [:]) { bands, entry in
          for band in entry.key.split(separator: "|") { bands[String(band)] = entry.value }
        }
      }
    }
  }

  package let messages: [String: Message]
  /// Finds the message behind what a person wrote.
  package let normalizer: GreetingNormalizer

  package enum CodingKeys: String, CodingKey {
    case messages, spellings
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    messages = try container.decode([String: Message].self, forKey: .messages)
    normalizer = GreetingNormalizer(
      spellings: try container.decode([String: String].self, forKey: .spellings), messages: messages)
  }

  /// The replies that are built in. The first use reads them, in a few milliseconds.
  package static let standard: FrequentReplies = BuiltInText.decode("frequent.json", PackageResources.frequent_json)

  /// A reply to what a person wrote; nil where it is none of the frequent messages, or the pet none of the built-in ones. O(1).
  /// - Parameters:
  ///   - pet: its short name, as in ``PromptFormat/pets``.
  ///   - isCalm: false: only messages that are for any time.
  ///   - choice: any number; the same gives the same reply.
  ///   - previous: the text of the reply before this one, which is not said again.
  package func reply(
    to text: String, pet: String, state: PetState, isCalm: Bool = true, choice: UInt64, previous: String? = nil
  ) -> Reply? {
    guard let name = normalizer.message(for: text, to: PromptFormat.standard.pets[pet]?.name),
      let message = messages[name], isCalm || message.isForAnyTime, let bands = message.replies[pet]
    else { return nil }
    let own = message.dimensions.lazy.compactMap { bands.byBand[Self.band($0, state)] }.first
    guard let written = own ?? bands.byBand["any"], !written.isEmpty else { return nil }
    let start = Int(choice % UInt64(written.count))
    let replies = (0..<written.count).lazy.map { Reply(written: written[(start + $0) % written.count]) }
    return replies.first { $0.text != previous } ?? replies.first
  }

  /// - Parameter pet: as of ``reply(to:pet:state:isCalm:choice:previous:)``.
  func asksForJoke(_ text: String, pet: String?) -> Bool {
    normalizer.message(for: text, to: pet.flatMap { PromptFormat.standard.pets[$0]?.name }) == "tell me a joke"
  }

  private static func band(_ dimension: Dimension, _ state: PetState) -> String {
    let bands = PromptFormat.standard.bands
    return switch dimension {
    case .hunger: PromptFormat.band(state.hunger, bands.hunger)
    case .energy: PromptFormat.band(state.energy, bands.energy)
    case .mood: PromptFormat.band(state.mood, bands.mood)
    }
  }
}
