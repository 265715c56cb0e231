// SPDX-License-Identifier: Apache-2.0
/// Exchanges that people wrote by hand, found by what they mean: to answer with where one fits more surely than a model would.
///
/// A line is a bag of words and of parts of words, its vector the sum of theirs; the vectors were trained so that a line
/// lies near its own reply (`Training/bank`). Each exchange has a place between its line and its reply, and the nearest
/// places are compared word by word. All steps are in whole numbers or exactly rounded: the same everywhere.
package final class ReplyBank: @unchecked Sendable {  // immutable after init; the memory is read-only
  /// The thresholds that were measured for this bank.
  package let policy: BankPolicy
  /// How many exchanges there are, those that only keep answers away included.
  package var count: Int { file.exchanges }

  package let file: BankFile
  private let owner: (any Sendable)?

  /// - Parameters:
  ///   - bytes: a file of `Training/bank/make_bank.py`, perhaps mapped. They are not copied.
  ///   - owner: what keeps them where they are; nil: they stay as long as the program runs.
  /// - Throws: `BankError` where they are damaged: checksum, bounds and every entry are checked.
  /// - Complexity: O(bytes); some milliseconds.
  package convenience init(_ bytes: UnsafeRawBufferPointer, keeping owner: (any Sendable)?) throws(BankError) {
    try self.init(BankFile(bytes), keeping: owner)
  }

  init(_ file: BankFile, keeping owner: (any Sendable)?) {
    self.file = file
    policy = BankPolicy(answerCloseness: Double(file.answer) / 1000)
    self.owner = owner
  }

  /// What is close to a message, closest first; nothing where no word of it is known.
  /// - Parameters:
  ///   - pet: the short name of the one who answers, where it is one of the bank's; another pet gets what any might say.
  ///   - state: nil: replies that speak of a state are no answers.
  /// - Complexity: O(exchanges * width), about a millisecond for 45,000.
  package func lookUp(_ message: String, pet: String?, state: PetState?) -> BankLookup {
    let own = tokens(message)
    guard let query = vector(own) else { return BankLookup(matches: [], standsAlone: false) }
    let facts = BankFacts(
      order: own.map(\.row), words: Set(own.map(\.row)),
      pet: pet.flatMap(BankRecord.pets.firstIndex) ?? BankRecord.noPet,
      bands: state.map { [$0.hunger, $0.energy, $0.mood].map { $0 * 5 / 101 } })
    var matches: [BankMatch] = []
    for candidate in nearest(query, facts) {
      let exchange = exchange(candidate.index)
      let line = tokens(exchange.line).map(\.row)
      let reply = Set(tokens(exchange.reply.text).map(\.row))
      let points = score(facts.words, Set(line), reply, product: candidate.product)
      matches.append(
        BankMatch(
          closeness: Double(share(points)) / 1000, points: points, exchange: exchange,
          mayAnswer: mayAnswer(exchange, facts, line: Set(line), reply: reply),
          tellsSame: Self.tellSame(facts.order, line)))
    }
    matches.sort { ($0.closeness, -$0.exchange.id) > ($1.closeness, -$1.exchange.id) }
    let leans = facts.words.contains { has($0, .leaning) }
    return BankLookup(matches: matches, standsAlone: facts.words.count >= 3 && !leans)
  }

  /// The exchange of this number, which is below ``count``.
  package func exchange(_ index: Int) -> BankExchange {
    let record = file.record(index)
    var place = record.text
    let line = text(&place)
    return record.exchange(index, line: line, text: text(&place))
  }

  private func text(_ place: inout Int) -> String {
    var bytes: [UInt8] = []
    while file.text[place] != 0x0A {
      let code = Int(file.text[place])
      if code == 0 {
        bytes.append(file.text[place + 1])
        place += 2
      } else {
        bytes += file.codes[(16 * code + 1)..<(16 * code + 1 + Int(file.codes[16 * code]))]
        place += 1
      }
    }
    place += 1
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Who is asked, and what: what exchanges are compared with.
package struct BankFacts {
  /// The rows of its words, as they stand.
  package let order: [Int]
  package let words: Set<Int>
  /// Its number in the bank.
  package let pet: Int
  package let bands: [Int]?
}
