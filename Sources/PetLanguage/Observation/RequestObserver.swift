// SPDX-License-Identifier: Apache-2.0
/// Told of every request to a model, in numbers: for monitors.
package struct RequestObserver: Sendable {
  /// What a request took.
  package struct Facts: Sendable, Equatable {
    /// From the request to the first token; where nothing was written, to its end.
    package var latency: Duration
    /// From the request to its end.
    package var duration: Duration
    /// Bytes of weights, and of the keys and values of all conversations.
    package var memory: UInt64

    package init(latency: Duration, duration: Duration, memory: UInt64) {
      self.latency = latency
      self.duration = duration
      self.memory = memory
    }
  }

  package var began: @Sendable () -> Void
  /// Nil: it failed, or was refused.
  package var ended: @Sendable (Facts?) -> Void

  package init(began: @escaping @Sendable () -> Void = {}, ended: @escaping @Sendable (Facts?) -> Void) {
    self.began = began
    self.ended = ended
  }
}
