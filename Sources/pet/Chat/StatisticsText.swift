import PetEngine
import PetService

/// What `/stats` says of the pet: who answered, what is cached, how often it minded danger.
enum StatisticsText {
  static func text(of statistics: PetStatistics) -> String {
    let all = max(1, statistics.answers.values.reduce(0, +))
    let answers = CompanionAnswer.Source.allCases.compactMap { source in
      statistics.answers[source.rawValue].map { "\($0) \(source.rawValue) (\($0 * 100 / all) %)" }
    }
    var facts = [("answers by", answers.isEmpty ? "none yet" : answers.joined(separator: ", "))]
    if let cache = statistics.cache {
      let asked = cache.hits + cache.misses
      let rate = asked == 0 ? "" : ", \(cache.hits * 100 / asked) % hits"
      facts.append(("kept answers", "\(cache.entries), \(cache.hits) of \(asked) found\(rate)"))
    }
    facts.append(("dangers minded", "\(statistics.dangers), replies not shown \(statistics.replaced)"))
    return FactLines.text(facts)
  }
}
