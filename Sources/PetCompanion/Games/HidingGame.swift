// SPDX-License-Identifier: Apache-2.0
/// The pet hides, and the person names places.
package struct HidingGame: Sendable, Equatable {
  private static let beginnings: Set<String> = [
    "behind", "under", "underneath", "in", "inside", "on", "at", "near", "next", "beside", "above", "below", "are",
    "is", "u", "you",
  ]
  let place: Int
  var tries = 0
  var hasHint = false

  package init(place: Int) { self.place = place }

  static func begin(_ rules: GameRules, _ choice: UInt64) -> Pastime.Move {
    let game = HidingGame(place: Int(choice % UInt64(rules.places.count)))
    return Pastime.Move(rules.line(.hidingBegins, [:], choice), .playful, .hiding(game))
  }

  func hear(_ words: [String], _ rules: GameRules, _ choice: UInt64) -> Pastime.Move? {
    guard rules.places.indices.contains(place) else { return nil }
    let (own, values) = (
      rules.places[place], ["place": rules.places[place].place, "count": tries == 0 ? "one try" : "\(tries + 1) tries"]
    )
    var game = self
    game.hasHint = true
    if rules.asksForHint(words) {
      let close = own.near.isEmpty ? place : own.near[Int(choice % UInt64(own.near.count))]
      let text =
        hasHint
        ? rules.line(.noMoreHints, [:], choice) : rules.line(.hidingHint, ["place": rules.places[close].place], choice)
      return Pastime.Move(text, .playful, .hiding(game))
    }
    game.hasHint = hasHint
    if rules.givesUp(words) { return Pastime.Move(rules.line(.gaveUpHiding, values, choice), .happy, nil) }
    guard words.count <= 10 else { return nil }
    let named = rules.places.indices.filter { index in words.contains { rules.places[index].words.contains($0) } }
    if named.contains(place) { return Pastime.Move(rules.line(.foundMe, values, choice), .excited, nil) }
    guard !named.isEmpty || words.first.map(Self.beginnings.contains) == true else { return nil }
    game.tries += 1
    let isWarm = named.contains { own.near.contains($0) }
    return Pastime.Move(rules.line(isWarm ? .warm : .cold, [:], choice), .playful, .hiding(game))
  }
}
