// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// Which answers a pet keeps, to give them again.
public struct AnswerKeeping: Sendable, Equatable {
  /// Bytes that they may take; 0: none are kept.
  public var bytes = 4 << 20
  /// Whether they outlive the process.
  public var isPersisted = true

  public init() {}

  public init(_ configuration: Configuration) {
    bytes = Int(clamping: configuration.predictionCacheSize.value)
    isPersisted = configuration.predictionCachePersisted.value
  }
}
