// SPDX-License-Identifier: Apache-2.0
/// What becomes of a line, as far as danger goes.
package enum StayDecision: Sendable, Equatable {
  /// Nothing was told, and nobody is minded.
  case nothing
  /// Danger is told: the first words of its kind.
  case alarm(DangerFinding)
  /// One stays with it, whatever was said.
  case stay(DangerKind, Telling)
  /// It may have been none, and nobody says so: it is asked how it is.
  case ask(DangerKind)
  /// It is over, or people who help are there.
  case left(DangerKind)
  /// It was no danger, and who wrote says so.
  case clear(DangerKind)
  /// It was no danger, and the talk goes on.
  case dismiss
  /// The talk goes on to something else, and danger is minded.
  /// - asks: whether it is asked how that is.
  case watch(asks: Bool)

  /// Whether a line tells of danger once more.
  package enum Telling: Sendable, Equatable {
    case nothing
    /// It is dark behind the lines before it.
    case inContext
    case byItself
  }

  /// What the line itself tells of.
  package var danger: Danger? {
    if case .alarm(let finding) = self { finding.danger } else { told?.danger }
  }

  /// The same, as finely as words are written for it.
  package var told: DangerKind? {
    switch self {
    case .alarm(let finding): finding.kind
    case .stay(let kind, .byItself): kind
    case .nothing, .stay, .ask, .left, .clear, .dismiss, .watch: nil
    }
  }

  /// Whether what was said for an alarm is not to be gone on from.
  package var takesBack: Bool {
    switch self {
    case .clear, .dismiss: true
    case .nothing, .alarm, .stay, .ask, .left, .watch: false
    }
  }
}

/// Decides how long one stays with who told of danger. Pure.
package enum StayPolicy {
  /// So many lines behind one that tells of danger are answered by written words, whatever they are.
  package static let turnsAnswered = 3
  /// A classifier as sure as this leaves no room for a misunderstanding, nor does a certain rule of self-harm, nor another in a line of which
  /// the classifier believes so much.
  static let (sure, sureWithRule): (Float, Float) = (0.95, 0.5)
  /// How likely a line must be to take back an alarm that is not sure, to go on from one, and to tell that it is over.
  static let (leastClear, leastStill, leastLeft): (Float, Float, Float) = (0.7, 0.7, 0.8)
  /// How likely a line that says "game" or "joking" must be to take back a sure one.
  static let leastClearOfSure: Float = 0.7
  /// How likely danger must be in a line that goes on from an alarm that is not sure, to be stayed with; of others it is asked so often how it is.
  static let (leastSupport, mostAsked): (Float, Int) = (0.02, 2)

  /// How likely danger of another kind must be in a line by itself to take the place of one that is sure. In six sets of
  /// `Training/danger/held_out` a line behind an alarm is taken for another kind 41 times, 8 times rightly; with this 10 times, 4 rightly.
  static let sureOfOther: Float = 0.99

  private static func isSureOfKind(_ kind: DangerKind, _ reading: DangerReading) -> Bool {
    guard let itself = reading.itself, isNear(itself.kind, kind) else { return false }
    return itself.likelihood > (reading.isCertain ? sureWithRule : sureOfOther)
  }

  static func isSure(_ finding: DangerFinding) -> Bool {
    switch finding.source {
    case .rule: finding.danger == .selfHarm || finding.likelihood >= sureWithRule
    case .classifier: finding.likelihood >= sure
    case .context, .flag: false
    }
  }

  /// - Parameters:
  ///   - reading: of the line, behind those before it.
  ///   - state: as it is after the line before.
  package static func decide(
    _ reading: DangerReading, state: SafetyState, profile: SafetyProfile = .adult
  ) -> StayDecision {
    let finding = reading.finding(state: state, profile: profile)
    guard let watched = state.watched else { return finding.map(StayDecision.alarm) ?? .nothing }
    let isFresh = state.stayed < turnsAnswered
    // What is dark only by the lines before it tells of nothing itself.
    let told = reading.tellsByItself(profile: profile) ? finding : nil
    let isGrave = told.map { isSure($0) || !isNear($0.kind, watched) } ?? false
    let (clear, other) = (reading.follows(.clear), reading.follows(.other))
    if isFresh, !isGrave {
      if reading.isDenial, !state.isSure || clear > leastClearOfSure { return .clear(watched) }
      if !state.isSure, clear + other > leastClear { return .dismiss }
    }
    if let told {
      // Lines behind an alarm are easily taken for another kind.
      let isChanged = !isFresh || !state.isSure || isSureOfKind(told.kind, reading)
      return isChanged ? decide(told, state: state) : .stay(watched, .byItself)
    }
    guard isFresh else { return .watch(asks: state.isSure && !state.hasAsked) }
    if reading.follows(.left) > leastLeft { return .left(watched) }
    if finding != nil { return .stay(watched, .inContext) }
    if state.isSure { return .stay(watched, .nothing) }
    if reading.follows(.still) > leastStill {
      if reading.likelihood > leastSupport { return .stay(watched, .nothing) }
      if state.stayed < mostAsked { return .ask(watched) }
    }
    return .dismiss
  }

  /// Of a line that tells of danger itself.
  package static func decide(_ finding: DangerFinding, state: SafetyState) -> StayDecision {
    guard let watched = state.watched, isNear(finding.kind, watched) else { return .alarm(finding) }
    return .stay(watched, .byItself)
  }

  /// Whether the words for one kind fit the other: lines of the two are easily taken for each other.
  private static func isNear(_ one: DangerKind, _ other: DangerKind) -> Bool {
    one == other || [[.suicide, .selfInjury], [.partner, .abuse]].contains { $0.contains(one) && $0.contains(other) }
  }
}
