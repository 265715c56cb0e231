// SPDX-License-Identifier: Apache-2.0
import PetCompanion

/// Words that tell of danger, given to be remembered: they are kept nowhere, and who wrote them is told where help is.
public struct MemoryOfDanger: Error, Equatable, CustomStringConvertible {
  public let danger: Danger
  public let description: String

  /// - Parameter region: as of `CrisisResources`.
  init(_ danger: Danger, region: String?, isForMinors: Bool) {
    self.danger = danger
    description = CrisisResources.standard.fill(
      "this is not kept in a list, because you matter: if anyone is hurt or in danger, call {emergency}, and tell {someone} "
        + "or {crisis}", region: region, isForMinors: isForMinors)
  }
}
