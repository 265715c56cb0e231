// SPDX-License-Identifier: Apache-2.0
/// A fact that a rule or a model proposes to remember; ``FactLedger`` decides about it.
package struct FactProposal: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    case remember
    /// Retracts a fact: "I don't live in Rome anymore". An empty value retracts any value.
    case retract
  }

  /// Longer values and texts are cut: a memory is a line, not a letter.
  package static let longestText = 160

  package var action: Action
  package var kind: Fact.Kind
  package var subject: String
  package var topic: String
  package var value: String
  package var text: String
  package var confidence: Double
  package var importance: Double
  /// Whether a subject has one value of this kind and topic at a time: a new name is not a second name.
  package var isSingle: Bool
  /// In seconds since 1970; nil: it does not expire.
  package var expires: Int64?
  package var origin: FactSource.Origin
  /// The facts that it supersedes, whatever they were about: "no, I meant Ada".
  package var corrects: [Int64] = []
  /// Whether something of it was longer than ``longestText``.
  let isCut: Bool

  /// - Parameters:
  ///   - confidence: from 0 to 1; what is outside, or no number, becomes the nearest of it, or 0.
  ///   - importance: as `confidence`.
  package init(
    _ kind: Fact.Kind, subject: String = "user", topic: String = "", value: String, text: String,
    confidence: Double = 0.9, importance: Double = 0.5, isSingle: Bool = false, expires: Int64? = nil,
    origin: FactSource.Origin = .rule, action: Action = .remember
  ) {
    self.action = action
    self.kind = kind
    self.subject = Self.line(subject)
    self.topic = Self.line(topic)
    self.value = Self.line(value)
    self.text = Self.line(text)
    self.confidence = Self.bounded(confidence)
    self.importance = Self.bounded(importance)
    self.isSingle = isSingle
    self.expires = expires
    self.origin = origin
    isCut = [subject, topic, value, text].contains(where: Self.isCut)
  }

  /// A proposal by a model: less confident than a rule's, so it never supersedes one.
  package static func fromModel(
    _ kind: Fact.Kind, subject: String = "user", value: String, text: String, confidence: Double = 0.5
  ) -> FactProposal {
    FactProposal(
      kind, subject: subject, value: value, text: text, confidence: min(bounded(confidence), 0.6), importance: 0.4,
      isSingle: [.name, .age, .birthday, .place, .work].contains(kind), origin: .model)
  }

  private static func bounded(_ number: Double) -> Double { number.isNaN ? 0 : min(max(number, 0), 1) }

  /// In one line, without the controls by which a terminal or a prompt could be led astray.
  static func line(_ text: String) -> String { String(wholeLine(text).prefix(longestText)) }

  /// Whether ``line(_:)`` leaves out some of a text.
  static func isCut(_ text: String) -> Bool {
    text.unicodeScalars.count > 4 * longestText || wholeLine(text).count > longestText
  }

  private static func wholeLine(_ text: String) -> String {
    // Nobody's memory is longer; what a hostile one holds beyond this is not even looked at.
    let scalars = text.unicodeScalars.prefix(4 * longestText).map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator, .format, .privateUse: " "
      default: scalar
      }
    }
    let cleaned = String(String.UnicodeScalarView(scalars))
    return cleaned.split(separator: " ").joined(separator: " ")
  }
}
