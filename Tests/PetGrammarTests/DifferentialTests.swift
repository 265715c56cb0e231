// SPDX-License-Identifier: Apache-2.0
import PetGrammar
import Testing

@Suite("The matcher against a slow recognizer")
struct DifferentialTests {
  private static let texts = RandomGrammar.texts(5)

  /// Random grammars that compile, and are not without any text.
  private func grammars(_ count: Int, seed: UInt64) -> [(RandomGrammar, Grammar)] {
    var random = SeededRandom(seed)
    var found: [(RandomGrammar, Grammar)] = []
    while found.count < count {
      let made = RandomGrammar(&random)
      if let grammar = try? Grammar(gbnf: made.text) { found.append((made, grammar)) }
    }
    return found
  }

  @Test("what fits a random grammar is what the recognizer says, and so is each beginning of it")
  func language() throws {
    for (made, grammar) in grammars(250, seed: 1) {
      let matcher = try grammar.matcher
      for text in Self.texts {
        let string = String(String.UnicodeScalarView(text))
        let after = matcher.accepting(string)
        let fits = made.ends(text).contains(text.count)
        guard (after?.canEnd ?? false) == fits else {
          Issue.record("\(string.debugDescription) \(fits ? "fits" : "does not fit") \(made.text)")
          break
        }
        guard fits else { continue }
        for end in text.indices where matcher.accepting(String(String.UnicodeScalarView(text[..<end]))) == nil {
          Issue.record("\(string.debugDescription) fits \(made.text), its beginning is refused")
        }
      }
    }
  }

  @Test("left recursion is refused where there is any that the root leads to, and nothing else is called so")
  func leftRecursion() {
    var random = SeededRandom(2)
    var refused = 0
    for _ in 0..<1500 {
      let made = RandomGrammar(&random)
      guard case .leftRecursion = refusal(gbnf: made.text) else { continue }
      refused += 1
      #expect(made.isLeftRecursive, "\(made.text)")
    }
    #expect(refused > 100)
  }

  @Test("nothing that is accepted leads to a dead end")
  func noDeadEnds() throws {
    var random = SeededRandom(3)
    for (made, grammar) in grammars(200, seed: 4) {
      for limit in [0, 1, 3] {
        guard let bounded = try? Grammar(gbnf: made.text, limits: GrammarLimits(depth: limit)) else { continue }
        for matcher in [try bounded.matcher, try grammar.matcher] {
          var current = matcher
          for _ in 0..<12 {
            let next = (0...255).compactMap { byte in
              var copy = current
              return copy.accept(bytes: [UInt8(byte)]) ? copy : nil
            }
            #expect(!next.isEmpty || current.canEnd, "\(made.text)")
            #expect(current.isFinished == (next.isEmpty && current.canEnd), "\(made.text)")
            guard !next.isEmpty else { break }
            current = next[random.below(next.count)]
          }
        }
      }
    }
  }

  @Test("the mask is what trying each token gives, with every bound and with tables that overflow")
  func masks() throws {
    var random = SeededRandom(5)
    let pieces: [[UInt8]] =
      RandomGrammar.alphabet.map { Array(String($0).utf8) } + [[0xC3], [0xA9], [0xE6, 0x97], [0xA5]]
    let ends: Set<Int32> = [7, 90]
    for (made, _) in grammars(150, seed: 6) {
      let tokens = (0..<150).map { _ in (0..<random.below(6)).flatMap { _ in pieces[random.below(pieces.count)] } }
      for limits in [GrammarLimits(), GrammarLimits(depth: 2), GrammarLimits(depth: 5, stacks: 4)] {
        guard let grammar = try? Grammar(gbnf: made.text, limits: limits) else { continue }
        var matcher = try grammar.matcher(tokens: tokens, ends: ends, stateBytes: random.chance(50) ? 1 : 8 << 20)
        for _ in 0..<10 {
          let mask = matcher.mask
          #expect(mask.tokens == matcher.triedTokens(tokens, ends: ends), "\(made.text)")
          let texts = mask.tokens.filter { !ends.contains($0) }
          #expect(mask.count == mask.tokens.count)
          guard !texts.isEmpty else { break }
          let token = texts[random.below(texts.count)]
          let isAccepted = matcher.accept(token)
          #expect(isAccepted)
        }
      }
    }
  }
}
