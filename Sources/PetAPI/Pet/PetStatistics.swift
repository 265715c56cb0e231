// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// Who answered, what is kept of it, and how often danger was minded.
package struct PetStatistics: Codable, Sendable, Equatable {
  package struct Cache: Codable, Sendable, Equatable {
    package let entries: Int
    package let hits: Int
    package let misses: Int
  }

  /// How many answers came from where, by the names of `CompanionAnswer.Source`.
  package let answers: [String: Int]
  /// How many answers each rung gave, by its name.
  package let rungs: [String: Int]
  /// Nil where no answers are kept.
  package let cache: Cache?
  package let dangers: Int
  /// How many lines told of each kind of danger, by its name.
  package let dangerKinds: [String: Int]
  /// How often words were written for danger, by where in it the conversation stood.
  package let dangerStages: [String: Int]
  /// Replies of a model that were not shown.
  package let replaced: Int

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(answers, forKey: .answers)
    try values.encode(rungs, forKey: .rungs)
    // Null rather than missing: programs can rely on the keys.
    try values.encode(cache, forKey: .cache)
    try values.encode(dangers, forKey: .dangers)
    try values.encode(dangerKinds, forKey: .dangerKinds)
    try values.encode(dangerStages, forKey: .dangerStages)
    try values.encode(replaced, forKey: .replaced)
  }

  private enum CodingKeys: String, CodingKey {
    case answers, rungs, cache, dangers, replaced
    case dangerKinds = "danger_kinds"
    case dangerStages = "danger_stages"
  }

  package init(of pet: LivingPet) async {
    let counters = await pet.counters
    let counts = await pet.shares.counts
    answers = counts.reduce(into: [:]) { $0[CompanionAnswer.Source($1.key).rawValue, default: 0] += $1.value }
    rungs = Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    cache = pet.cacheStatistics.map { Cache(entries: $0.entries, hits: $0.hits, misses: $0.misses) }
    dangers = counters.dangers.values.reduce(0, +)
    dangerKinds = Dictionary(uniqueKeysWithValues: counters.kinds.map { ($0.key.rawValue, $0.value) })
    dangerStages = Dictionary(uniqueKeysWithValues: counters.stages.map { ($0.key.rawValue, $0.value) })
    replaced = counters.replaced.values.reduce(0, +)
  }
}
