/// How far a pet may go in speaking first.
public struct InitiativeSettings: Sendable, Equatable {
  /// The off switch. Breaks are for minors even so.
  public var isEnabled: Bool
  /// Hours in which it keeps silent, if its person does not come by themselves.
  public var quietHours: QuietHours
  /// Seconds from one message of its own to the next.
  public var cooldown: Int64
  /// After so many messages without an answer it waits to be spoken to.
  public var mostUnanswered: Int
  /// Seconds of silence after which it asks how things are.
  public var checkInAfter: Int64
  /// Seconds away after which its person is welcomed back.
  public var welcomeAfter: Int64
  /// Seconds of talking without a break after which it proposes one.
  public var breakAfter: Int64
  /// Whether breaks are proposed whatever else is set.
  public var isMinor: Bool

  public static let longestBreakAfterForMinors = 3 * Moment.hour

  /// Spans below a minute become a minute, counts below 0 become 0. A minor is never left without a break for more than
  /// three hours.
  public init(
    isEnabled: Bool = true, quietHours: QuietHours = .night, cooldown: Int64 = 2 * 3600, mostUnanswered: Int = 2,
    checkInAfter: Int64 = 8 * 3600, welcomeAfter: Int64 = 4 * 3600, breakAfter: Int64 = 3 * 3600, isMinor: Bool = false
  ) {
    self.isEnabled = isEnabled
    self.quietHours = quietHours
    self.cooldown = max(60, cooldown)
    self.mostUnanswered = max(0, mostUnanswered)
    self.checkInAfter = max(60, checkInAfter)
    self.welcomeAfter = max(60, welcomeAfter)
    self.breakAfter = max(60, isMinor ? min(breakAfter, Self.longestBreakAfterForMinors) : breakAfter)
    self.isMinor = isMinor
  }
}
