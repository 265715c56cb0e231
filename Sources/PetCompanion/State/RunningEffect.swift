// SPDX-License-Identifier: Apache-2.0
/// What goes on after an action: food that is being digested, the joy of a game.
package struct RunningEffect: Sendable, Equatable {
  package let value: PetValue
  package let perHour: Double
  /// Seconds.
  package var left: Int64

  /// What is still to come of it.
  package var rest: Double { perHour * Double(left) / Double(Moment.hour) }

  /// More than any action gives, so that a stored file cannot bring more.
  package static let steepest = 1000.0
  package static let longest = Moment.day
}

extension RunningEffect: Codable {
  package enum CodingKeys: String, CodingKey {
    case value, left
    case perHour = "per_hour"
  }

  package init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: CodingKeys.self)
    value = try stored.decode(PetValue.self, forKey: .value)
    let rate = try stored.decode(Double.self, forKey: .perHour)
    perHour = rate.isFinite ? min(max(rate, -Self.steepest), Self.steepest) : 0
    left = min(max(try stored.decode(Int64.self, forKey: .left), 0), Self.longest)
  }
}
