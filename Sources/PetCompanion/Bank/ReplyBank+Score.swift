// SPDX-License-Identifier: Apache-2.0
/// How close an exchange is to a message, word by word, and whether its reply can be said as it is.
extension ReplyBank {
  package enum Trait: UInt8 {
    /// Words that mean something only after others: "it", "why", "yes".
    case leaning = 1
    case negation = 2
    /// "she", "brother": whom a reply may call he or she.
    case gendered = 4
    /// Words that carry no subject.
    case common = 8
  }

  package func has(_ row: Int, _ trait: Trait) -> Bool { isKnown(row) && file.traits[row] & trait.rawValue != 0 }

  private func rarity(_ row: Int) -> Int { isKnown(row) ? Int(file.rarities[row]) : 255 }

  /// Words of a line that carry its subject, and how rare they are, from 0 to 255. A word that the bank has never seen may be
  /// anything: it counts as neither rare nor common.
  package func topics(of line: String) -> [(word: String, rarity: Int)] {
    let empty: [Trait] = [.leaning, .negation, .gendered, .common]
    return tokens(line).compactMap { token in
      guard token.word.count > 2, !token.word.contains(where: { $0 < UInt8(ascii: "a") }),
        !empty.contains(where: { has(token.row, $0) })
      else { return nil }
      return (String(decoding: token.word, as: UTF8.self), isKnown(token.row) ? rarity(token.row) : 150)
    }
  }

  /// In thousandths, from likeness of the vectors, shared and missing words, and whether one denies.
  package func score(_ own: Set<Int>, _ line: Set<Int>, _ reply: Set<Int>, product: Int) -> Int {
    func weight(_ rows: some Sequence<Int>) -> Int { rows.reduce(0) { $0 + rarity($1) } }
    func rarest(_ rows: some Sequence<Int>) -> Int { rows.reduce(0) { max($0, rarity($1)) } }
    let shared = Double(weight(own.intersection(line)))
    let added = line.subtracting(own)
    let denies = [own, line].map { $0.contains { has($0, .negation) } }
    let features = [
      Double(product) / Double(Self.scale * Self.scale), shared / Double(max(weight(own), 1)),
      shared / Double(max(weight(line), 1)), Double(rarest(own.subtracting(line))) / 128,
      Double(rarest(added)) / 128, denies[0] != denies[1] ? 1 : 0, Double(rarest(added.intersection(reply))) / 128,
    ]
    let points = zip(file.weights.dropFirst(), features).reduce(Double(file.weights[0])) { sum, part in
      sum + Double(part.0) * part.1
    }
    return Int(points.rounded(.toNearestOrEven))
  }

  /// The share of right answers at a score, in thousandths.
  package func share(_ points: Int) -> Int {
    let curve = file.curve
    guard points > curve[0].points else { return curve[0].share }
    for (low, high) in zip(curve, curve.dropFirst()) where points < high.points {
      return low.share + (high.share - low.share) * (points - low.points) / (high.points - low.points)
    }
    return curve[curve.count - 1].share
  }

  /// Whether words are only left out or only added, and the others come in the same order: not "me" for "you", nor "last" for
  /// "first", nor two names exchanged, which change the meaning more than the score tells.
  package static func tellSame(_ message: [Int], _ line: [Int]) -> Bool {
    let own = Set(message)
    let other = Set(line)
    guard own.isSubset(of: other) || other.isSubset(of: own) else { return false }
    func shared(_ rows: [Int]) -> [Int] {
      var seen = own.intersection(other)
      return rows.filter { seen.remove($0) != nil }
    }
    return shared(message) == shared(line)
  }

  package func mayAnswer(_ exchange: BankExchange, _ facts: BankFacts, line: Set<Int>, reply: Set<Int>) -> Bool {
    switch exchange.use {
    case .never, .guards: return false
    case .sameWords: guard line == facts.words else { return false }
    case .free: break
    }
    guard exchange.pet == nil || exchange.pet == BankRecord.name(facts.pet) else { return false }
    for axis in 0..<3 where exchange.needs[axis] {
      guard let bands = facts.bands, exchange.bands[axis] == bands[axis] else { return false }
    }
    func gendered(_ rows: Set<Int>) -> Set<Int> { rows.filter { has($0, .gendered) } }
    guard gendered(reply).isEmpty || gendered(line) == gendered(facts.words) else { return false }
    // What the reply takes up from its line must be in the message too.
    return reply.intersection(line).subtracting(facts.words).allSatisfy { has($0, .common) }
  }
}
