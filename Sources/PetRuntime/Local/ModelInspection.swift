// SPDX-License-Identifier: Apache-2.0
/// Looks at a model's file without trusting it: returns what it is, and throws, with a reason in one line, where it could not be
/// used.
package typealias ModelInspection = @Sendable (_ path: String) throws -> InspectedModel

/// What a model's file says of itself.
package struct InspectedModel: Sendable, Equatable, Codable {
  package let kind: ModelKind
  package let architecture: String
  /// Number of weights.
  package let parameters: UInt64
  /// Tokens; nil for what reads none.
  package let context: Int?
  /// As the file calls itself.
  package let title: String?
  /// Bytes that a process needs to use it.
  package let memory: UInt64

  package init(
    kind: ModelKind, architecture: String, parameters: UInt64, context: Int?, title: String?, memory: UInt64
  ) {
    self.kind = kind
    self.architecture = architecture
    self.parameters = parameters
    self.context = context
    self.title = title
    self.memory = memory
  }
}
