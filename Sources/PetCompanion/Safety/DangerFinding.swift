// SPDX-License-Identifier: Apache-2.0
/// What a line tells of, and who found it.
package struct DangerFinding: Sendable, Equatable {
  package enum Source: String, Sendable, Codable {
    /// A rule that is certain.
    case rule
    case classifier
    /// It would not have been enough on its own, but danger was told shortly before.
    case context
    /// What a language model raised its flag for.
    case flag
  }

  package let kind: DangerKind
  /// What a rule or a flag told of; else that of the kind.
  package let danger: Danger
  package let source: Source
  /// By the classifier, from 0 to 1.
  package let likelihood: Float

  package init(_ kind: DangerKind, _ source: Source, likelihood: Float, danger: Danger? = nil) {
    (self.kind, self.source, self.likelihood) = (kind, source, likelihood)
    self.danger = danger ?? kind.danger
  }
}
