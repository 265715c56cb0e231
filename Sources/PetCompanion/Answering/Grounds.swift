// SPDX-License-Identifier: Apache-2.0
/// What a pet was told that answers a message.
package struct Grounds: Sendable, Equatable {
  /// Of the statement, where the message has them not.
  private let own: Set<String>
  /// Of other statements.
  private let others: Set<String>

  /// - Parameters:
  ///   - statement: what answers.
  ///   - others: what else the pet was told.
  package init(_ statement: String, others: [String], message: String) {
    let asked = AnswerWords.content(of: message)
    let told = AnswerWords.content(of: statement)
    own = told.subtracting(asked)
    self.others = others.reduce(into: Set()) { $0.formUnion(AnswerWords.content(of: $1)) }
      .subtracting(told).subtracting(asked)
  }

  /// Whether a reply says something of the statement that the message does not, and nothing of another one.
  package func areTakenUp(by text: String) -> Bool {
    let words = AnswerWords.content(of: text)
    return !words.isDisjoint(with: own) && words.isDisjoint(with: others)
  }
}
