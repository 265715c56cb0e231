// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetMemory

enum Fixture {
  /// A Monday: 2026-11-23.
  static let now: Int64 = 1_795_392_000

  static func data(_ name: String) throws -> Data {
    try Data(contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)"))
  }

  struct NoTurn: Error {}

  static func turn(_ said: String, _ number: Int = 1, at time: Int64 = now) throws -> CompletedTurn {
    let today = CivilDay(at: time)
    guard
      let turn = CompletedTurn(
        said: said, finished: true, conversation: "home", number: number, time: time, today: today)
    else { throw NoTurn() }
    return turn
  }

  static func fact(
    _ kind: Fact.Kind, _ id: Int64 = 1, subject: String = "user", value: String, text: String, importance: Double = 0.5,
    confidence: Double = 0.9, at time: Int64 = now, expires: Int64? = nil, isSingle: Bool = false
  ) -> Fact {
    Fact(
      id: id,
      FactProposal(
        kind, subject: subject, value: value, text: text, confidence: confidence, importance: importance,
        isSingle: isSingle, expires: expires),
      from: FactSource(conversation: "home", turn: 1, origin: .rule), at: time)
  }
}

extension String {
  func trimming(_ closing: String) -> String {
    var text = self
    while let last = text.last, closing.contains(last) { text.removeLast() }
    return text
  }
}
