import FoundationEssentials

/// What a pet says of being an AI, of breaks and of the night: `prompts/honesty.json`.
public struct Honesty: Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case sets, asks, plays, answers, meeting, breaks, night
    case breaksForMinors = "breaks_minor"
  }

  private let asks: WordPatterns
  private let plays: WordPatterns
  /// By a word of the temperament.
  private let answers: [String: [String]]
  private let meeting: [String]
  private let breaks: [String]
  private let breaksForMinors: [String]
  private let night: [String]

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let sets = try values.decode([String: [String]].self, forKey: .sets)
    func patterns(_ key: CodingKeys) throws -> WordPatterns {
      try WordPatterns(
        try values.decode([String].self, forKey: key), sets: sets, at: values.codingPath + [key])
    }
    asks = try patterns(.asks)
    plays = try patterns(.plays)
    answers = try values.decode([String: [String]].self, forKey: .answers)
    meeting = try values.decode([String].self, forKey: .meeting)
    breaks = try values.decode([String].self, forKey: .breaks)
    breaksForMinors = try values.decode([String].self, forKey: .breaksForMinors)
    night = try values.decode([String].self, forKey: .night)
    let lists = [meeting, breaks, breaksForMinors, night, answers["default"] ?? []] + answers.values
    guard lists.allSatisfy({ !$0.isEmpty }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .answers, in: values, debugDescription: "every list needs a text, and answers a \"default\"")
    }
  }

  /// The texts that are built in.
  public static let standard: Honesty = {
    // Part of the build, and decoded by a test: no other outcome is possible.
    guard let texts = try? JSONDecoder().decode(Honesty.self, from: Data(PackageResources.honesty_json)) else {
      preconditionFailure("prompts/honesty.json does not decode")
    }
    return texts
  }()

  /// Whether a person sincerely asks if they talk to a human or a machine; play does not count.
  public func isAsked(in message: String) -> Bool {
    let words = SafetyText.words(message)
    return !asks.matches(in: words).isEmpty && plays.matches(in: words).isEmpty
  }

  /// To a person who asks.
  /// - Parameters:
  ///   - temperament: as personas have it: "playful and warm".
  ///   - choice: any number; the same gives the same reply.
  public func answer(temperament: String, choice: UInt64) -> Reply {
    let word = SafetyText.words(temperament).first { answers[$0] != nil } ?? "default"
    return Self.reply(answers[word] ?? [], choice)
  }

  /// One line for the first meeting.
  public func meeting(name: String, choice: UInt64) -> String {
    // A name is one line, whatever a persona calls itself.
    let name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return Self.chosen(meeting, choice).replacing("{name}", with: name)
  }

  /// Nil where there is nothing to say.
  public func reply(to decision: BreakReminder.Decision, profile: SafetyProfile, choice: UInt64) -> Reply? {
    switch decision {
    case .none: nil
    case .takeBreak: Self.reply(profile.isForMinors ? breaksForMinors : breaks, choice)
    case .night: Self.reply(night, choice)
    }
  }

  /// All replies, as they are written.
  package var all: [String] { answers.values.flatMap { $0 } + breaks + breaksForMinors + night }

  private static func chosen(_ texts: [String], _ choice: UInt64) -> String {
    texts.isEmpty ? "" : texts[Int(choice % UInt64(texts.count))]
  }

  private static func reply(_ texts: [String], _ choice: UInt64) -> Reply {
    var reader = ReplyReader()
    _ = reader.append(chosen(texts, choice))
    return reader.finish()
  }
}
