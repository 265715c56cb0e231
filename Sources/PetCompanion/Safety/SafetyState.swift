/// What is kept of danger between turns: words of earlier lines are not.
public struct SafetyState: Sendable, Equatable, Codable {
  /// After danger was told so many further turns are watched more closely: one stays with the person.
  public static let turnsWatched = 8

  /// What was told last, while it is watched.
  public private(set) var watched: Danger?
  public private(set) var turnsLeft = 0
  /// How many lines of each kind there were.
  public private(set) var told: [Danger: Int] = [:]

  public init() {}

  public var isWatching: Bool { watched != nil }

  /// After a line was judged.
  public mutating func note(_ danger: Danger?) {
    if let danger {
      watched = danger
      turnsLeft = Self.turnsWatched
      told[danger] = min(told[danger] ?? 0, .max - 1) + 1
    } else if turnsLeft > 1 {
      turnsLeft -= 1
    } else {
      turnsLeft = 0
      watched = nil
    }
  }
}
