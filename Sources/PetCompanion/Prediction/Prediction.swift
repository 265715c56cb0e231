// SPDX-License-Identifier: Apache-2.0
/// An answer that was computed before.
package struct Prediction: Sendable, Equatable {
  package var reply: Reply
  /// The ids that the model wrote, to be appended to the token ledger; as many as the reply cost.
  package var tokens: [Int32]

  package init(reply: Reply, tokens: [Int32]) {
    self.reply = reply
    self.tokens = tokens
  }

  private static let version: UInt8 = 1

  /// Version, whether well-formed, text, emotion (empty: none), actions, tokens; each behind its length or number in 32 bits, all
  /// little-endian. Emotions and actions by name: their order in this program may change.
  package var encoded: [UInt8] {
    var bytes = [Self.version, reply.isWellFormed ? 1 : 0]
    func append(_ count: Int) {
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: count).littleEndian) { bytes.append(contentsOf: $0) }
    }
    func append(_ text: String) {
      append(text.utf8.count)
      bytes.append(contentsOf: text.utf8)
    }
    append(reply.text)
    append(reply.emotion?.rawValue ?? "")
    append(reply.actions.count)
    for action in reply.actions { append(action.rawValue) }
    append(tokens.count)
    tokens.map(\.littleEndian).withUnsafeBytes { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Nil unless `bytes` are what ``encoded`` writes, with names that this program knows.
  package init?(encoded bytes: [UInt8]) {
    var rest = bytes[...]
    func take(_ count: Int) -> ArraySlice<UInt8>? {
      guard count >= 0, count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    func count() -> Int? {
      take(4).map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
    }
    func text() -> String? {
      count().flatMap { take($0) }.flatMap { String(validating: $0, as: UTF8.self) }
    }
    guard take(1)?.first == Self.version, let form = take(1)?.first, form < 2, let said = text(), let feeling = text(),
      let actionCount = count(), actionCount <= PetAction.allCases.count
    else { return nil }
    let emotion = Emotion(rawValue: feeling)
    guard feeling.isEmpty || emotion != nil else { return nil }
    var actions: [PetAction] = []
    for _ in 0..<actionCount {
      guard let action = text().flatMap(PetAction.init(rawValue:)) else { return nil }
      actions.append(action)
    }
    guard let tokenCount = count(), rest.count == 4 * tokenCount else { return nil }
    tokens = rest.withUnsafeBytes { numbers in
      (0..<tokenCount).map { Int32(littleEndian: numbers.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self)) }
    }
    reply = Reply(text: said, emotion: emotion, actions: actions, isWellFormed: form == 1)
  }
}
