// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

import PetCompanion

@Suite("The reply bank and its reference")
struct BankGoldenTests {
  struct Case: Decodable {
    struct Match: Decodable {
      let id: Int
      let points: Int
      let closeness: Int
      let answer: Bool
      let same: Bool
      let line: String
      let reply: String
    }
    let message: String
    let pet: String?
    let state: [Int]?
    let hashes: [UInt32]
    let vector: [Int16]
    let matches: [Match]
  }

  private struct Goldens: Decodable {
    let small: [Case]
    let whole: [Case]
  }

  private let goldens: Goldens

  init() throws { goldens = try JSONDecoder().decode(Goldens.self, from: BankFixture.data("bank.json")) }

  @Test("words, vectors, scores and texts are those of Training/bank, bit for bit")
  func small() throws {
    let bank = try BankFixture.bank()
    #expect(goldens.small.count > 90)
    for one in goldens.small { try compare(one, bank) }
  }

  @Test("the bank that is built in is read, and finds what its reference finds")
  func whole() throws {
    #expect(ReplyBank.builtIn.count > 35_000)
    // The built-in one is trusted, because it is whole.
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Models/bank-v3.bin")
    let bytes = [UInt8](try Data(contentsOf: file))
    let count = try bytes.withUnsafeBytes { try ReplyBank($0, keeping: nil).count }
    #expect(count == ReplyBank.builtIn.count)
    #expect(!goldens.whole.isEmpty)
    for one in goldens.whole { try compare(one, .builtIn) }
  }

  private func compare(_ one: Case, _ bank: ReplyBank) throws {
    #expect(BankWords.split(one.message).map { FNV1a.of($0) } == one.hashes, "\(one.message)")
    let vector = bank.vector(bank.tokens(one.message)) ?? [Int16](repeating: 0, count: one.vector.count)
    #expect(vector == one.vector, "\(one.message)")
    let state = one.state.map { PetState(hunger: $0[0], energy: $0[1], mood: $0[2]) }
    let found = bank.lookUp(one.message, pet: one.pet, state: state).matches
    #expect(found.count >= one.matches.count)
    for (match, expected) in zip(found, one.matches) {
      #expect(match.exchange.id == expected.id, "\(one.message)")
      #expect(
        match.points == expected.points && match.mayAnswer == expected.answer && match.tellsSame == expected.same,
        "\(one.message) \(expected.id)")
      #expect(match.closeness == Double(expected.closeness) / 1000)
      #expect(match.exchange.line == expected.line && match.exchange.reply.text == expected.reply)
    }
  }
}
