// SPDX-License-Identifier: Apache-2.0
/// One inference of one model.
public struct InferenceSample: Sendable, Equatable {
  /// How long somebody waited: for the first token of a text, else for the whole.
  public var latency: Duration
  /// How long the model was busy with it; the same as `latency` but for texts.
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
