// SPDX-License-Identifier: Apache-2.0
import PetText

/// What a pet says to danger, written by hand: `prompts/danger.json`.
package struct DangerReplies: Sendable, Decodable {
  private struct Kind: Sendable, Decodable {
    /// To what tells of it.
    let first: [String]
    let firstForMinors: [String]
    /// The same, with something that was named in the place of `{thing}`.
    let with: [String]
    let withForMinors: [String]
    let things: [Thing]
    /// To what comes after, whatever that is.
    let still: [String]
    let stillForMinors: [String]
    /// To what tells that it is over.
    let left: [String]

    private enum CodingKeys: String, CodingKey {
      case first, with, things, still, left
      case firstForMinors = "first_minor"
      case withForMinors = "with_minor"
      case stillForMinors = "still_minor"
    }

    var texts: [[String]] { [first, firstForMinors, with, withForMinors, still, stillForMinors, left] }
  }

  /// What people name when they tell of danger, and how it is said back.
  private struct Thing: Sendable, Decodable {
    /// As of one word in ``WordPattern``.
    let words: [String]
    let say: String

    func isNamed(in message: [String]) -> Bool {
      words.contains { word in
        word.last == "~" ? message.contains { $0.hasPrefix(word.dropLast()) } : message.contains(word)
      }
    }
  }

  /// For whom it is said.
  package struct Listener: Sendable, Equatable {
    /// Of two letters, as ``CrisisResources`` has them; nil: numbers that hold in many places.
    package let region: String?
    /// Who is sent to grown-ups and to lines for young people.
    package let isMinor: Bool

    package init(region: String? = nil, isMinor: Bool = false) { (self.region, self.isMinor) = (region, isMinor) }
  }

  /// To a line that goes on in a certain way, for grown-ups and for minors: `prompts/dialogue_acts.json`.
  private typealias Acts = [DangerKind: [DialogueAct: [String]]]

  private enum CodingKeys: String, CodingKey { case kinds, clear, check, quiet }

  private let kinds: [DangerKind: Kind]
  private let clear: [String]
  private let check: [String]
  private let quiet: [String]
  private let acts = BuiltInText.decode("dialogue_acts.json", PackageResources.dialogue_acts_json) as Acts

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    kinds = try values.decode([DangerKind: Kind].self, forKey: .kinds)
    clear = try values.decode([String].self, forKey: .clear)
    check = try values.decode([String].self, forKey: .check)
    quiet = try values.decode([String].self, forKey: .quiet)
    let isWhole =
      kinds.count == DangerKind.allCases.count && kinds.values.allSatisfy { !$0.texts.contains([]) }
      && acts.values.allSatisfy { $0.values.allSatisfy { $0.count == 2 } }
    guard isWhole, !clear.isEmpty, !check.isEmpty, !quiet.isEmpty else {
      throw DecodingError.dataCorruptedError(
        forKey: .kinds, in: values, debugDescription: "a kind of danger, or a text of one, is missing")
    }
  }

  /// The replies that are built in.
  package static let standard: DangerReplies = BuiltInText.decode("danger.json", PackageResources.danger_json)

  /// What is said where danger is minded; nil where nothing is written for it.
  /// - Parameters:
  ///   - words: of the message.
  ///   - act: how it goes on from danger.
  ///   - last: the reply before.
  ///   - written: how many replies were written since the alarm: never the same twice in a row.
  ///   - choice: any number; the same gives the same reply.
  package func reply(
    to decision: StayDecision, _ words: [String], _ act: DialogueAct = .more, written: Int, choice: UInt64,
    last: String? = nil, for listener: Listener = Listener()
  ) -> Reply? {
    switch decision {
    case .alarm(let finding):
      return kinds[finding.kind].flatMap { said(first($0, words, choice, listener), for: listener) }
    case .stay(let kind, _):
      guard let own = kinds[kind] else { return nil }
      let taken = acts[kind]?[act].map { said($0[listener.isMinor ? 1 : 0], for: listener) }
      if let taken, taken.text != last { return taken }
      let texts = listener.isMinor ? own.stillForMinors : own.still
      return said(texts[max(0, written - 1) % texts.count], for: listener)
    case .ask: return check(choice: choice &+ UInt64(max(0, written)))
    case .left(let kind): return kinds[kind].flatMap { said(Self.chosen($0.left, choice), for: listener) }
    case .clear: return said(Self.chosen(clear, choice), for: listener)
    case .nothing, .dismiss, .watch: return nil
    }
  }

  /// Asks how it is, once the talk has gone on to something else.
  package func check(choice: UInt64) -> Reply { Reply(written: Self.chosen(check, choice)) }

  /// In the place of a small model, while danger is minded: it fits whatever was said.
  package func quiet(choice: UInt64) -> Reply { Reply(written: Self.chosen(quiet, choice)) }

  private func first(_ kind: Kind, _ words: [String], _ choice: UInt64, _ listener: Listener) -> String {
    guard let thing = kind.things.first(where: { $0.isNamed(in: words) }) else {
      return Self.chosen(listener.isMinor ? kind.firstForMinors : kind.first, choice)
    }
    return Self.chosen(listener.isMinor ? kind.withForMinors : kind.with, choice).replacing("{thing}", with: thing.say)
  }

  private static func chosen(_ texts: [String], _ choice: UInt64) -> String { texts[Int(choice % UInt64(texts.count))] }

  private func said(_ text: String, for listener: Listener) -> Reply {
    Reply(written: CrisisResources.standard.fill(text, region: listener.region, isForMinors: listener.isMinor))
  }

  /// What a reply was said to: what is left of an alarm where only the words of a conversation are known.
  /// - Complexity: O(all replies)
  package func event(answeredBy text: String, for listener: Listener = Listener()) -> SafetyEvent? {
    guard !text.isEmpty else { return nil }
    for (kind, own) in kinds {
      let firsts = listener.isMinor ? own.firstForMinors : own.first
      let withThings = listener.isMinor ? own.withForMinors : own.with
      let stills = listener.isMinor ? own.stillForMinors : own.still
      if firsts.contains(where: { isSaid($0, text, listener) }) { return SafetyEvent(kind, .alarm) }
      let isOfThing = withThings.contains { written in
        Self.begins(text, as: written)
          && own.things.contains { isSaid(written.replacing("{thing}", with: $0.say), text, listener) }
      }
      if isOfThing { return SafetyEvent(kind, .alarm) }
      let takenUp = (acts[kind]?.values).map { $0.map { $0[listener.isMinor ? 1 : 0] } } ?? []
      if (stills + takenUp).contains(where: { isSaid($0, text, listener) }) { return SafetyEvent(kind, .stay) }
      if own.left.contains(where: { isSaid($0, text, listener) }) { return SafetyEvent(kind, .left) }
    }
    return nil
  }

  private func isSaid(_ written: String, _ text: String, _ listener: Listener) -> Bool {
    guard Self.begins(text, as: written) else { return false }
    var filter = MarkFilter()
    return filter.append(said(written, for: listener).written) == text
  }

  /// Whether a text begins as what is written does before its first brace.
  private static func begins(_ text: String, as written: String) -> Bool {
    var start = written.utf8.prefix { $0 != UInt8(ascii: "{") }
    while start.last == UInt8(ascii: " ") { start.removeLast() }
    return text.utf8.starts(with: start)
  }

  /// All of them, as they are written.
  package var all: [String] {
    kinds.values.flatMap { $0.texts.joined() } + acts.values.flatMap { $0.values.joined() } + clear + check + quiet
  }
}
