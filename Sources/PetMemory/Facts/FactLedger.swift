// SPDX-License-Identifier: Apache-2.0
/// What a proposal changed in the store.
package enum FactChange: Sendable, Equatable {
  case added(Int64)
  /// A known fact was confirmed: more confident and more recent.
  case renewed(Int64)
  /// `by` supersedes the others.
  case superseded([Int64], by: Int64)
  /// These were retracted.
  case retracted([Int64])
  /// The store was full: the least important facts were evicted.
  case dropped([Int64])
}

/// Decides how a proposal changes the known facts. A pure function; ``MemoryStore`` applies it.
package enum FactLedger {
  package enum Decision: Sendable, Equatable {
    /// Remember it; it supersedes those.
    case add(superseding: [Int64])
    case renew(Int64, superseding: [Int64])
    case retract([Int64])
    /// Nothing to remember, or a more confident fact contradicts it.
    case ignore
  }

  /// O(facts).
  package static func decide(_ proposal: FactProposal, among facts: [Fact], at now: Int64) -> Decision {
    let live = facts.filter { $0.isLive(at: now) && Words.same($0.subject, proposal.subject) }
    let value = Words.key(proposal.value)
    let ofKind = live.filter { $0.kind == proposal.kind && Words.same($0.topic, proposal.topic) }
    if proposal.action == .retract {
      let gone = live.filter {
        $0.kind == proposal.kind && (value.isEmpty || Words.key($0.value) == value)
          && (proposal.topic.isEmpty || Words.same($0.topic, proposal.topic))
      }
      return gone.isEmpty ? .ignore : .retract(gone.map(\.id))
    }
    guard !value.isEmpty, !proposal.text.isEmpty, proposal.expires.map({ $0 > now }) ?? true else { return .ignore }
    let contradicted =
      (proposal.isSingle ? ofKind.filter { Words.key($0.value) != value } : [])
      + live.filter { opposite(proposal.kind) == $0.kind && Words.key($0.value) == value }
    let corrected = facts.filter { $0.isLive(at: now) && proposal.corrects.contains($0.id) }
    // A model's guess never supersedes what the person said.
    if contradicted.contains(where: { $0.confidence > proposal.confidence + 0.25 }) { return .ignore }
    let former = contradicted.map(\.id) + corrected.map(\.id).filter { id in !contradicted.contains { $0.id == id } }
    if let known = ofKind.first(where: { Words.key($0.value) == value }) {
      return .renew(known.id, superseding: former.filter { $0 != known.id })
    }
    return .add(superseding: former)
  }

  /// The facts to evict so that at most `limit` stay: those that no longer hold first, then the least important, least confident
  /// and least recently used.
  package static func surplus(_ facts: [Fact], limit: Int, at now: Int64) -> [Int64] {
    guard facts.count > max(limit, 0) else { return [] }
    let least = facts.sorted { a, b in
      let (liveA, liveB) = (a.isLive(at: now), b.isLive(at: now))
      if liveA != liveB { return !liveA }
      let (worthA, worthB) = (a.importance * a.confidence, b.importance * b.confidence)
      if worthA != worthB { return worthA < worthB }
      return (a.lastUsed, a.id) < (b.lastUsed, b.id)
    }
    return least.prefix(facts.count - max(limit, 0)).map(\.id)
  }

  private static func opposite(_ kind: Fact.Kind) -> Fact.Kind? {
    switch kind {
    case .likes: .dislikes
    case .dislikes: .likes
    default: nil
    }
  }
}
