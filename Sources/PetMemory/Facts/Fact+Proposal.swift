// SPDX-License-Identifier: Apache-2.0
extension Fact {
  /// A fact from a proposal; the store assigns the id.
  package init(id: Int64 = 0, _ proposal: FactProposal, from source: FactSource, at now: Int64) {
    self.init(
      id: id, kind: proposal.kind, subject: proposal.subject, topic: proposal.topic, value: proposal.value,
      text: proposal.text, source: source, confidence: proposal.confidence, importance: proposal.importance,
      created: now, lastUsed: now, uses: 0, expires: proposal.expires, supersededBy: nil)
  }

  /// Confirms the fact: raises its confidence and takes the newest words.
  mutating func renew(_ proposal: FactProposal, from source: FactSource, at now: Int64) {
    if proposal.origin != .model {
      (value, text, self.source, expires) = (proposal.value, proposal.text, source, proposal.expires)
    }
    confidence = max(confidence, proposal.confidence)
    importance = max(importance, proposal.importance)
    lastUsed = max(lastUsed, now)
  }
}
