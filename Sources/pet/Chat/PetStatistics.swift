import PetEngine

/// What `/stats` says of the pet: who answered, what is cached, how often it minded danger.
enum PetStatistics {
  static func text(of pet: LivingPet) async -> String {
    let shares = await pet.shares
    let counters = await pet.counters
    let all = max(1, shares.counts.values.reduce(0, +))
    let answers = CompanionAnswer.Source.allCases.compactMap { source in
      shares.counts[source].map { "\($0) \(source.rawValue) (\($0 * 100 / all) %)" }
    }
    var facts = [("answers by", answers.isEmpty ? "none yet" : answers.joined(separator: ", "))]
    if let cache = pet.cacheStatistics {
      let asked = cache.hits + cache.misses
      let rate = asked == 0 ? "" : ", \(cache.hits * 100 / asked) % hits"
      facts.append(("kept answers", "\(cache.entries), \(cache.hits) of \(asked) found\(rate)"))
    }
    let dangers = counters.dangers.values.reduce(0, +)
    facts.append(("dangers minded", "\(dangers), replies not shown \(counters.replaced.values.reduce(0, +))"))
    return FactLines.text(facts)
  }
}
