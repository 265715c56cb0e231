// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine

/// What `/stats` says of the pet: who answered, what is cached, how often it minded danger.
package enum StatisticsText {
  package static func text(of statistics: PetStatistics) -> String {
    // Numbers of another process: as whole ones they might overflow.
    let all = max(1, statistics.answers.values.reduce(0.0) { $0 + Double($1) })
    let answers = CompanionAnswer.Source.allCases.compactMap { source in
      statistics.answers[source.rawValue].map { "\($0) \(source.rawValue) (\(Shown.whole(Double($0) * 100 / all)) %)" }
    }
    var facts = [("answers by", answers.isEmpty ? "none yet" : answers.joined(separator: ", "))]
    let rungs = Rung.allCases.compactMap { rung in statistics.rungs[rung.rawValue].map { "\($0) \(rung.rawValue)" } }
    if !rungs.isEmpty { facts.append(("of them", rungs.joined(separator: ", "))) }
    if let cache = statistics.cache {
      let asked = Double(cache.hits) + Double(cache.misses)
      let rate = asked == 0 ? "" : ", \(Shown.whole(Double(cache.hits) * 100 / asked)) % hits"
      let found =
        cache.hits == 0 && cache.misses == 0
        ? "none looked up yet" : "\(cache.hits) of \(Shown.whole(asked)) found\(rate)"
      facts.append(("kept model replies", "\(cache.entries), \(found)"))
    }
    facts.append(("dangers minded", "\(statistics.dangers), replies not shown \(statistics.replaced)"))
    return FactLines.text(facts)
  }
}
