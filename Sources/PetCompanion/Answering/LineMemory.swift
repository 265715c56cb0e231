// SPDX-License-Identifier: Apache-2.0
/// What a pet's memory says to one line. The store is read before; what a line needs of it is worked out where a rung asks.
package protocol LineMemory {
  /// To a question for what the person told.
  var recollection: Recollection? { get }
  /// Whether facts are known that the model would be told.
  var isRecalled: Bool { get }
  /// The plain fact that the line tells, and nothing else, where it is news.
  var news: ToldFact? { get }
  /// What is remembered and not said in `lines` anyway, as far as it may answer, oldest first.
  func known(besides lines: [String]) -> [KnownFact]
  /// What the reader made of what is known.
  var vectors: StatementVectors { get }
  /// Whether a line of the person tells something, and nothing that is never kept: a password.
  func mayQuote(_ line: String) -> Bool
  /// Whether all that a line of the person tells is of others.
  func isOfOthers(_ line: String) -> Bool
}

/// An answer from the store.
package enum Recollection: Sendable, Equatable {
  /// - fact: the one that it tells, where it is one.
  case known(Reply, fact: KnownFact?)
  /// Nothing of it is remembered as a fact; a line may have told it, or what was given from the start.
  /// - isOfOneself: whether it is asked of the person alone.
  case unknown(Reply, missing: String, isOfOneself: Bool)
}

/// A fact in the model's words, "has a dog named Rex", and as a clause to the person: "you have a dog named Rex"; or a line that the person
/// said, which is quoted.
package struct KnownFact: Sendable, Equatable {
  package let text: String
  package let clause: String
  /// Whether ``text`` are the person's own words.
  package let isQuoted: Bool
  /// In seconds since 1970; the least for what was given from the start.
  package let told: Int64

  package init(text: String, clause: String, isQuoted: Bool = false, told: Int64 = .min) {
    (self.text, self.clause, self.isQuoted, self.told) = (text, clause, isQuoted, told)
  }
}

/// A fact that was told just now.
package struct ToldFact: Sendable, Equatable {
  let kind: ToldLines.Kind
  let value: String
  let clause: String

  package init(_ kind: ToldLines.Kind, value: String, clause: String) {
    (self.kind, self.value, self.clause) = (kind, value, clause)
  }
}
