// SPDX-License-Identifier: Apache-2.0
/// A pet in time: its state, when that was last true, and what is still going on in it.
///
/// A value: nothing happens to it by itself. Whoever has a clock tells it the time with ``advance(to:drift:)``; how often
/// makes no difference. Everything beside the time itself is kept as a span before it, so that a clock that was set moves
/// nothing.
package struct PetLife: Sendable, Equatable {
  /// Since 1970: when ``state`` was true.
  package internal(set) var seconds: Int64
  package var levels: PetLevels
  package var effects: [RunningEffect] = []
  /// Seconds until a nap is over.
  package var restLeft: Int64 = 0
  /// Since its person was last there, in seconds; it stops at ``patience``.
  package internal(set) var sinceContact: Int64 = 0
  /// Since something that the pet saw in its person last moved it, in seconds.
  package var sinceNotice: Int64 = Self.patience
  /// How often each action was done lately.
  package var repetitions: [CareAction: Double] = [:]

  /// After two weeks alone a pet curls up and waits: no more time counts, however long, whatever a clock says.
  package static let patience = 14 * Moment.day
  package static let mostEffects = 32
  package static let mostRepetitions = 16.0

  /// - Parameter seconds: since 1970, the time at which the state is true.
  package init(_ state: PetState = PetState(), seconds: Int64) {
    self.seconds = seconds
    levels = PetLevels(state)
  }

  /// In whole numbers.
  package var state: PetState { levels.state }

  /// Whether it still digests.
  package var isDigesting: Bool { effects.contains { $0.value == .hunger && $0.perHour < 0 } }

  /// Whether it naps because it was put to rest.
  package var isResting: Bool { restLeft > 0 }

  /// At night a pet sleeps, unless its person was there in the last half hour.
  package func isAsleep(at now: Moment) -> Bool { isAsleep(isNight: now.isNight) }

  package func isAsleep(isNight: Bool) -> Bool { isResting || isNight && sinceContact >= PetPace.staysAwake }
}

extension PetLife: Codable {
  package enum CodingKeys: String, CodingKey {
    case seconds, levels, effects, repetitions
    case restLeft = "rest_left"
    case sinceContact = "since_contact"
    case sinceNotice = "since_notice"
  }

  /// What is out of its range becomes the nearest of it.
  /// - Throws: `DecodingError` where a part is missing or of another kind, or where more goes on than a pet can bear.
  package init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: CodingKeys.self)
    func span(_ key: CodingKeys, atMost longest: Int64) throws -> Int64 {
      min(max(try stored.decode(Int64.self, forKey: key), 0), longest)
    }
    seconds = try stored.decode(Int64.self, forKey: .seconds)
    levels = try stored.decode(PetLevels.self, forKey: .levels)
    effects = try stored.decode([RunningEffect].self, forKey: .effects).filter { $0.left > 0 }
    guard effects.count <= Self.mostEffects else {
      throw DecodingError.dataCorruptedError(
        forKey: .effects, in: stored, debugDescription: "more than \(Self.mostEffects) effects")
    }
    restLeft = try span(.restLeft, atMost: RunningEffect.longest)
    sinceContact = try span(.sinceContact, atMost: Self.patience)
    sinceNotice = try span(.sinceNotice, atMost: Self.patience)
    repetitions = try stored.decode([CareAction: Double].self, forKey: .repetitions).mapValues {
      $0.isFinite ? min(max($0, 0), Self.mostRepetitions) : 0
    }
  }
}
