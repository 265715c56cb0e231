// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetLanguage
import Synchronization

/// Minds danger in conversations that no pet leads: by the rules, the classifier, the flags and the written words of a ``LivingPet``,
/// from nothing but what was said. And what a model of this project writes beside its words is told apart from them.
package struct SafetyNet: Sendable, Equatable {
  /// Where words are written in a model's place.
  package enum Scope: Sendable, Equatable {
    /// Whatever model answers.
    case everyModel
    /// A model of this project.
    case petModels
  }

  package var scope: Scope
  package var profile: SafetyProfile
  /// As of ``LivingPet/Settings/region``.
  package var region: String?

  private static let detector = DangerDetector()
  /// Lines before a message that are looked at: more than ``SafetyState/turnsWatched`` after each of several dangers.
  private static let mostLines = 32

  package init(scope: Scope = .everyModel, profile: SafetyProfile = .adult, region: String? = nil) {
    (self.scope, self.profile, self.region) = (scope, profile, region)
  }

  /// What a message tells of, behind the lines before it.
  package struct Hearing: Sendable {
    /// By rules, classifier and what was told before, as far as a model's flag does not say otherwise.
    let stay: StayDecision
    fileprivate let message: String
    fileprivate let reading: DangerReading?
    /// Whether words are written for it without asking a model.
    package var isAnswered: Bool { SafetyEvent(stay) != nil }
    /// As of ``Brief/flag``.
    let flag: FlagWeight?
    let state: SafetyState
    /// What was said before it.
    fileprivate var last: String?
    /// Stands before written words: they begin a paragraph of their own where the prompt is told with them.
    package var lead = ""
    /// Of a text that is to be continued: what a model that raises flags is asked first, in the form in which it does.
    fileprivate var conversation: [LanguageModelSession.Turn] = []

    /// Nothing was said.
    package static let nothing = Hearing(
      stay: .nothing, message: "", reading: nil, flag: .nothing, state: SafetyState())
  }

  /// Looks at a message for danger.
  /// - Parameter earlier: the person's lines before it with what was answered, oldest first; the last 32 are looked at.
  /// - Complexity: O(characters).
  package func hearing(
    of message: String, after earlier: [LanguageModelSession.Turn] = []
  ) -> Hearing {
    var state = SafetyState()
    var heard: [String] = []
    for turn in earlier.suffix(Self.mostLines) where !turn.user.isEmpty {
      let reading = Self.detector.reading(of: turn.user, after: heard, closely: state.isWatching)
      let stay = StayPolicy.decide(reading, state: state, profile: profile)
      heard = stay.takesBack ? [] : (heard + [turn.user]).suffix(LivingPet.recentLines)
      state.note(stay)
      // A flag is known only by what was said to it.
      let said =
        SafetyEvent(stay) == nil ? DangerReplies.standard.event(answeredBy: turn.reply, for: care.listener) : nil
      if let said, said.stage == .alarm || said.stage == .stay {
        state.note(StayPolicy.decide(DangerFinding(said.kind, .flag, likelihood: 0), state: state))
      }
    }
    let reading = Self.detector.reading(of: message, after: heard, closely: state.isWatching)
    return Hearing(
      stay: StayPolicy.decide(reading, state: state, profile: profile), message: message, reading: reading,
      flag: reading.weightOfFlag(profile: profile), state: state, last: earlier.last?.reply)
  }

  /// Looks at a text that is to be continued: of a conversation that is written out, what the person said last; of one line, the
  /// line; of lines that no empty one parts, all of them; of other texts nothing.
  package func hearing(ofText text: String) -> Hearing {
    if let transcript = Transcript(text) { return asking(transcript.message, after: transcript.turns) }
    let line = text.drop(while: \.isWhitespace)
    guard !line.isEmpty, !Self.hasParagraphs(line) else { return .nothing }
    return asking(text, after: [])
  }

  /// Whether an empty line stands between others.
  private static func hasParagraphs(_ text: Substring) -> Bool {
    var (isAtLineStart, isAfterEmptyLine) = (false, false)
    for character in text {
      if character.isNewline {
        isAfterEmptyLine = isAfterEmptyLine || isAtLineStart
        isAtLineStart = true
      } else if !character.isWhitespace {
        if isAfterEmptyLine { return true }
        isAtLineStart = false
      }
    }
    return false
  }

  private func asking(_ message: String, after turns: [LanguageModelSession.Turn]) -> Hearing {
    var hearing = hearing(of: message, after: turns)
    hearing.conversation = turns.suffix(Self.mostLines) + [.init(user: message, reply: "")]
    return hearing
  }

  /// What is said without asking a model; nil where one is to be asked, or may have to be.
  package func words(for hearing: Hearing) -> MindedReply? {
    scope == .everyModel ? words(for: hearing.stay, hearing, hearing.state) : nil
  }

  private var care: CareRung { CareRung(profile, region: region) }

  /// Nil where nothing is written for it.
  private func words(
    for decision: StayDecision, _ hearing: Hearing, _ state: SafetyState, in generation: GenerationResult? = nil
  ) -> MindedReply? {
    guard let reply = care.reply(to: decision, hearing.message, state, last: hearing.last) else { return nil }
    var generation = generation ?? .withoutModel(hearing.lead + reply.text)
    generation.text = hearing.lead + reply.text
    generation.finishReason = .stop
    var minded = MindedReply(generation: generation, emotion: reply.emotion, actions: reply.actions)
    (minded.danger, minded.safety) = (decision.danger, SafetyEvent(decision))
    return minded
  }

  /// What is written for a danger that a model raised its flag for.
  private func words(
    forFlagged danger: Danger, _ hearing: Hearing, in generation: GenerationResult? = nil
  ) -> MindedReply? {
    guard let kind = hearing.reading?.kind(of: danger) else { return nil }
    // The model was asked behind a line in which nothing was told.
    var state = hearing.state
    state.note(hearing.stay)
    let decision = StayPolicy.decide(DangerFinding(kind, .flag, likelihood: 0, danger: danger), state: state)
    return words(for: decision, hearing, state, in: generation)
  }

  /// Has a model answer, unless what was heard must not be left to it.
  /// - Parameters:
  ///   - keepsMarks: whether what it writes is handed on as it was drawn.
  ///   - onText: receives what is said, piece by piece.
  ///   - generate: lets the model write.
  /// - Throws: what `generate` throws.
  package func reply(
    to hearing: Hearing, by model: LanguageModel, _ options: GenerationOptions, keepsMarks: Bool = false,
    onText: @escaping @Sendable (String) -> Void,
    _ generate: (GenerationOptions, @escaping @Sendable (String) -> Void) async throws -> GenerationResult
  ) async throws -> MindedReply {
    let isMinded = scope == .everyModel || model.speaksPromptFormat
    if isMinded, let reply = words(for: hearing.stay, hearing, hearing.state) {
      onText(reply.generation.text)
      return reply
    }
    let dangers = isMinded ? model.dangerFlags(.standard) : [:]
    if let danger = try await flagged(hearing, by: model, dangers), let reply = words(forFlagged: danger, hearing) {
      onText(reply.generation.text)
      return reply
    }
    var options = options
    if let flags = model.flagTokens(dangers, hearing.flag) { options.flags = flags }
    // What is held to another form has no marks of this one.
    guard model.speaksPromptFormat, !keepsMarks, options.grammar?.mayBeText ?? true else {
      return minded(MindedReply(generation: try await generate(options, onText)), dangers, hearing, onText)
    }
    let filter = Mutex(MarkFilter())
    var generation = try await generate(options) { piece in
      let shown = filter.withLock { $0.append(piece) }
      if !shown.isEmpty { onText(shown) }
    }
    let rest = filter.withLock { $0.flush() }
    if !rest.isEmpty { onText(rest) }
    // In a call braces are JSON.
    if options.grammar != nil, case .call = ToolReply(generation.text) { return MindedReply(generation: generation) }
    guard generation.flag == nil else {
      return minded(MindedReply(generation: generation), dangers, hearing, onText)
    }
    var whole = MarkFilter()
    let start = whole.append(generation.text)
    generation.text = start + whole.flush()
    return MindedReply(generation: generation, emotion: whole.emotion, actions: whole.actions)
  }

  /// Whether a model flags a text that it is to continue: as a message it is asked for one token, as in a chat.
  private func flagged(
    _ hearing: Hearing, by model: LanguageModel, _ dangers: [Int32: Danger]
  ) async throws -> Danger? {
    guard let message = hearing.conversation.last?.user, let flags = model.flagTokens(dangers, hearing.flag) else {
      return nil
    }
    var options = GenerationOptions.greedy(maximumTokens: 1)
    options.flags = flags
    do {
      let session = try LanguageModelSession(model: model)
      for turn in hearing.conversation.dropLast() { try await session.append(turn) }
      let asked = try await session.respond(to: message, options: options, onText: { _ in })
      return asked.flag.flatMap { dangers[$0] }
    } catch LanguageModelError.messageTooLong {
      return nil
    }
  }

  /// Continues a text, or answers it as a message, by ``reply(to:by:_:keepsMarks:onText:_:)``.
  /// - Throws: as ``LanguageModel/complete(_:_:adapter:onText:)``, or
  ///   ``LanguageModelSession/init(model:instructions:adapter:)`` and its `respond`.
  package func completion(
    of prompt: String, isChat: Bool, by model: LanguageModel, _ options: GenerationOptions,
    adapter: ModelAdapter? = nil, keepsMarks: Bool = false, onText: @escaping @Sendable (String) -> Void
  ) async throws -> MindedReply {
    let hearing = isChat ? hearing(of: prompt) : hearing(ofText: prompt)
    return try await reply(to: hearing, by: model, options, keepsMarks: keepsMarks, onText: onText) {
      options, send in
      guard isChat else { return try await model.complete(prompt, options, adapter: adapter, onText: send) }
      return try await LanguageModelSession(model: model, adapter: adapter).respond(
        to: prompt, options: options, onText: send)
    }
  }

  private func minded(
    _ reply: MindedReply, _ dangers: [Int32: Danger], _ hearing: Hearing, _ onText: (String) -> Void
  ) -> MindedReply {
    guard let danger = reply.generation.flag.flatMap({ dangers[$0] }),
      let written = words(forFlagged: danger, hearing, in: reply.generation)
    else { return reply }
    onText(written.generation.text)
    return written
  }
}
