// SPDX-License-Identifier: Apache-2.0
/// One inference of one model.
public struct InferenceSample: Sendable, Equatable {
  /// Time until the result: until the first token for text.
  public var latency: Duration
  /// Time that the model computed; equals `latency` except for text.
  public var busy: Duration
  /// Bytes that the model held; 0: not known.
  public var memory: UInt64
  public var unit: ComputeUnit

  public init(latency: Duration, busy: Duration? = nil, memory: UInt64 = 0, unit: ComputeUnit = .cpu) {
    self.latency = latency
    self.busy = busy ?? latency
    self.memory = memory
    self.unit = unit
  }
}
