// SPDX-License-Identifier: Apache-2.0
/// Told of every request to a model, in numbers: for monitors.
public struct RequestObserver: Sendable {
  /// What a request took.
  public struct Facts: Sendable, Equatable {
    /// From the request to the first token; where nothing was written, to its end.
    public var latency: Duration
    /// From the request to its end.
    public var duration: Duration
    /// Bytes of weights, and of the keys and values of all conversations.
    public var memory: UInt64

    public init(latency: Duration, duration: Duration, memory: UInt64) {
      self.latency = latency
      self.duration = duration
      self.memory = memory
    }
  }

  public var began: @Sendable () -> Void
  /// Nil: it failed, or was refused.
  public var ended: @Sendable (Facts?) -> Void

  public init(began: @escaping @Sendable () -> Void = {}, ended: @escaping @Sendable (Facts?) -> Void) {
    self.began = began
    self.ended = ended
  }
}
