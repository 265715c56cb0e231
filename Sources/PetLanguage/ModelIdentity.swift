// SPDX-License-Identifier: Apache-2.0
/// By what a model is known to those who ask for it.
public struct ModelIdentity: Sendable, Equatable, Codable {
  /// As in `pet models list`; a path where it is not listed.
  public var name: String
  /// Of the three in which a model may come: "high", "medium" or "low"; nil where no catalog says.
  public var tier: String?

  public init(name: String, tier: String? = nil) {
    self.name = name
    self.tier = tier
  }
}
