// SPDX-License-Identifier: Apache-2.0
import PetLanguage
import PetTokenizer
import Synchronization
import Testing

@Suite("Turns that are left out")
struct TokenLedgerTests {
  /// Both formats have system messages behind the start; in the second no special token parts them from what follows.
  @Test("as few go at once as would one by one", arguments: ["phi3-mha", "llama-gqa"])
  func exact(_ name: String) throws {
    let model = try Models.small(name)
    var whole = TokenLedger(
      system: Instructions("Be kind."), template: try model.template.get(), tokenizer: model.tokenizer)
    for turn in 0..<12 {
      if turn % 4 == 2 { try whole.brief(Instructions("Be kind.", adding: "\nknows: \(turn)")) }
      let line = "line \(turn)" + String(repeating: " on", count: turn * 7 % 4)
      try whole.append(userText: line, replyText: "yes \(turn)")
    }
    let message = "and now?"
    for target in stride(from: 0, to: try whole.prompt(for: message).count, by: 7) {
      var (one, all) = (whole, whole)
      repeat {
        try one.dropOldest(for: message, to: .max)
      } while try one.prompt(for: message).count > target && !one.exchanges.isEmpty
      try all.dropOldest(for: message, to: target)
      #expect(all.droppedTurns == one.droppedTurns, "\(target)")
      #expect(try all.prompt(for: message) == one.prompt(for: message), "\(target)")
    }
  }

  @Test("what is forgotten is as if other words had been said", arguments: ["phi3-mha", "llama-gqa"])
  func redacted(_ name: String) throws {
    let model = try Models.small(name)
    let lines = ["my name is Ada", "i hate olives", "what do you do?", "so you like olives"]
    func ledger(_ said: (String) -> (String, String)) throws -> TokenLedger {
      var ledger = TokenLedger(
        system: Instructions("Be kind."), template: try model.template.get(), tokenizer: model.tokenizer)
      for line in lines { try ledger.append(userText: said(line).0, replyText: said(line).1) }
      return ledger
    }
    for word in ["olives", "Ada", "nothing", "i"] {
      var redacted = try ledger { ($0, "oh, \($0)") }
      try redacted.redact(as: "(gone)", "I see.") { $0.contains(word) }
      let other = try ledger { $0.contains(word) ? ("(gone)", "I see.") : ($0, "oh, \($0)") }
      #expect(redacted.exchanges.map(\.userText) == other.exchanges.map(\.userText))
      #expect(try redacted.prompt(for: "and?") == other.prompt(for: "and?"), "\(word)")
    }
  }

  @Test("hundreds go without the system text being encoded for each")
  func work() throws {
    let model = try Models.small()
    let tokenizer = CountingTokenizer(model.tokenizer)
    let system = String(repeating: "You are kind. ", count: 20)
    var ledger = TokenLedger(system: Instructions(system), template: try model.template.get(), tokenizer: tokenizer)
    for turn in 0..<300 { try ledger.append(userText: "\(turn)", replyText: "yes") }
    let target = try ledger.prompt(for: "and?").count / 2
    let before = tokenizer.byteCount
    try ledger.dropOldest(for: "and?", to: target)
    #expect(ledger.droppedTurns > 100 && !ledger.exchanges.isEmpty)
    #expect(tokenizer.byteCount - before < 10 * system.utf8.count)
  }
}

/// Counts what it encodes.
private final class CountingTokenizer: Tokenizer {
  private let base: any Tokenizer
  private let encoded = Mutex(0)

  init(_ base: any Tokenizer) { self.base = base }

  var byteCount: Int { encoded.withLock { $0 } }

  var vocabularySize: Int { base.vocabularySize }
  var roles: TokenRoles { base.roles }
  var specialTokens: SpecialTokens { base.specialTokens }

  func encodePlain(
    _ text: UnsafeBufferPointer<UInt8>, continuing: Bool, into ids: inout [Int32]
  ) throws(TokenizerError) {
    let count = text.count
    encoded.withLock { $0 += count }
    try base.encodePlain(text, continuing: continuing, into: &ids)
  }

  func appendBytes(of id: Int32, to bytes: inout [UInt8]) { base.appendBytes(of: id, to: &bytes) }

  func id(ofBytes bytes: [UInt8]) -> Int32? { base.id(ofBytes: bytes) }
}
