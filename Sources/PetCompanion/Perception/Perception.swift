// SPDX-License-Identifier: Apache-2.0
/// What a pet knows, for now, of how its person feels: the last word of each classifier on each feeling, fading with time.
///
/// It is never stored, and no text about it outlives the feeling. Holds at most one observation for each source and feeling.
package struct Perception: Sendable, Equatable {
  /// What is less certain is not taken at all.
  package static let floor = 0.5
  /// How much evidence there must be, all sources together, to be spoken of.
  package static let enough = 0.45
  /// And how much more than for the next best feeling.
  package static let lead = 0.15
  /// Seconds.
  package static let clocksDiffer: Int64 = 60

  private var latest: [Key: Observation] = [:]

  private struct Key: Hashable {
    let source: Observation.Source
    let feeling: Feeling
  }

  package init() {}

  /// With one observation more. What is below the ``floor`` changes nothing, nor what comes too late: up to a minute
  /// older than what the same source said of the same feeling. If it is older than that, a clock was set.
  package func adding(_ observation: Observation) -> Perception {
    let key = Key(source: observation.source, feeling: observation.feeling)
    guard observation.confidence >= Self.floor else { return self }
    if let known = latest[key] {
      let late = Moment.seconds(from: observation.seconds, to: known.seconds)
      if late > 0, late <= Self.clocksDiffer { return self }
    }
    var next = self
    next.latest[key] = observation
    return next
  }

  /// How the person seems to feel at `seconds` since 1970; nil where there is too little to say, or where signs
  /// contradict each other.
  package func feeling(at seconds: Int64) -> Feeling? { strongest(at: seconds)?.feeling }

  /// One line for the system text, such as "user looks sad": what a memory is, for as long as it is so.
  package func line(at seconds: Int64) -> String? {
    guard let feeling = feeling(at: seconds) else { return nil }
    // The source that is surest of it says how it is known.
    let source = Observation.Source.allCases.max { left, right in
      weight(Key(source: left, feeling: feeling), at: seconds)
        < weight(Key(source: right, feeling: feeling), at: seconds)
    }
    return source.map { "user \($0.verb) \(feeling.word)" }
  }

  /// What it does to the pet: a few points at most.
  package func influence(at seconds: Int64) -> PetInfluence {
    guard let strongest = strongest(at: seconds) else { return PetInfluence() }
    let strength = min(1, strongest.weight)
    let points: (mood: Double, affection: Double) =
      switch strongest.feeling {
      case .happy: (4, 0.5)
      case .calm: (2, 0.25)
      case .surprised: (1, 0)
      // It feels with its person, and grows closer by it.
      case .sad, .afraid: (-3, 0.5)
      case .angry, .tense: (-3, 0)
      case .tired: (-1, 0.25)
      }
    return PetInfluence(mood: points.mood * strength, affection: points.affection * strength)
  }

  private func strongest(at seconds: Int64) -> (feeling: Feeling, weight: Double)? {
    let weights = Feeling.allCases.map { feeling in
      (
        feeling: feeling,
        weight: Observation.Source.allCases.reduce(0) { $0 + weight(Key(source: $1, feeling: feeling), at: seconds) }
      )
    }.sorted { $0.weight > $1.weight }
    guard weights[0].weight >= Self.enough, weights[0].weight - weights[1].weight >= Self.lead else { return nil }
    return weights[0]
  }

  private func weight(_ key: Key, at seconds: Int64) -> Double {
    guard let observation = latest[key] else { return 0 }
    let age = Moment.seconds(from: observation.seconds, to: seconds)
    // What lies ahead by more than clocks differ was told before a clock was set.
    guard age >= -Self.clocksDiffer else { return 0 }
    return observation.confidence * key.source.weight * key.source.halfLife.left(after: age)
  }
}
