// SPDX-License-Identifier: Apache-2.0
import PetText

/// What each built-in pet did by itself, day by day, and how people ask for it, written by hand: `prompts/life.json`.
///
/// A day has a part of a project, or something of the season, and something small besides. All follows from the number of the day, so
/// that a pet says the same of a day whenever it is asked, and no two days are alike.
package struct PetDays: Sendable, Decodable {
  /// What is asked for.
  package enum Question: String, Sendable, CaseIterable {
    case today, yesterday, away, plans
  }

  package struct World: Sendable, Decodable {
    package struct Project: Sendable, Decodable {
      package let name: String
      /// One for each of ``PetDays/projectDays``.
      package let days: [String]
    }

    package let events: [String]
    package let seasons: [String: [String]]
    package let projects: [Project]
    package let plans: [String]
  }

  /// A project takes as many days; one more is for the season.
  package static let projectDays = 7
  private static let seasons = ["winter", "spring", "summer", "autumn"]

  private enum CodingKeys: String, CodingKey { case asks, pets }

  private let asks: [(question: Question, patterns: WordPatterns)]
  /// By short name.
  package let worlds: [String: World]

  /// - Throws: `DecodingError` where a pattern is malformed, or a world lacks a part.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let asks = try values.decode([String: [String]].self, forKey: .asks)
    worlds = try values.decode([String: World].self, forKey: .pets)
    self.asks = try Question.allCases.map { question in
      (question, try WordPatterns(asks[question.rawValue] ?? [], sets: [:], at: [CodingKeys.asks]))
    }
    let isWhole = worlds.values.allSatisfy { world in
      !world.events.isEmpty && !world.projects.isEmpty && !world.plans.isEmpty
        && world.projects.allSatisfy { $0.days.count == Self.projectDays }
        && Self.seasons.allSatisfy { world.seasons[$0]?.isEmpty == false }
    }
    guard Question.allCases.allSatisfy({ asks[$0.rawValue]?.isEmpty == false }), isWhole else {
      throw DecodingError.dataCorruptedError(
        forKey: .pets, in: values, debugDescription: "a world needs events, seasons, projects of seven days and plans")
    }
  }

  /// The days that are built in.
  package static let standard: PetDays = BuiltInText.decode("life.json", PackageResources.life_json)

  /// What a message asks for of a pet's own days; nil for any other. Complexity: linear in the words.
  package func question(in message: String) -> Question? {
    // A sentence behind it, or before, changes nothing.
    message.sentences.lazy.map { FoldedText.words(String($0)) }.filter { $0.count <= 14 }
      .compactMap { words in asks.first { !$0.patterns.matches(in: words).isEmpty }?.question }.first
  }

  /// What a pet says to it; nil for one without days of its own, or that has said all of it.
  /// - Parameters:
  ///   - day: since 1970, where the person is.
  ///   - daysAway: for how many whole days the person was away.
  ///   - isSouthern: whether it is summer there in January.
  ///   - recent: what was said lately; it is not said again.
  package func answer(
    to question: Question, pet: String, day: Int, daysAway: Int, isSouthern: Bool = false, recent: [String] = []
  ) -> String? {
    guard let world = worlds[pet] else { return nil }
    let salt = Int(FNV1a.of(pet.utf8) % 97)
    let day = min(max(0, day), 10_000_000)
    func tale(_ day: Int) -> [String] {
      let number = max(0, day &+ salt)
      let (cycle, step) = (number / (Self.projectDays + 1), number % (Self.projectDays + 1))
      let project = world.projects[cycle % world.projects.count]
      let main = step < Self.projectDays ? project.days[step] : season(day, world, isSouthern, cycle)
      // Seven has no part in common with the number of events: each comes once before any comes again.
      return [main, world.events[(number &* 7) % world.events.count]]
    }
    let texts: [String]
    switch question {
    case .today: texts = tale(day)
    case .yesterday: texts = tale(day - 1)
    case .away:
      let before = min(daysAway, Self.projectDays)
      texts = before < 1 ? tale(day) : ["\(tale(day - before)[0]) \(tale(day)[0])", tale(day)[1]]
    case .plans: texts = (0...1).map { world.plans[(day + salt + $0) % world.plans.count] }
    }
    // Who asks again hears of the days before.
    let more = question == .plans ? [] : (1...4).map { tale(day - $0)[1] }
    return (texts + more).first { text in !recent.contains { $0.contains(text) } }
  }

  private func season(_ day: Int, _ world: World, _ isSouthern: Bool, _ cycle: Int) -> String {
    // Seasons begin with December, March, June and September, give or take a day.
    let ofYear = (max(0, day) % 1461 + 31) % 365
    let index = (ofYear / 92 + (isSouthern ? 2 : 0)) % Self.seasons.count
    let texts = world.seasons[Self.seasons[index]] ?? []
    return texts.isEmpty ? world.events[0] : texts[cycle % texts.count]
  }
}
