// SPDX-License-Identifier: Apache-2.0
extension ModelRuntime {
  /// Runs one inference of a model and records it: how long it took, what memory the model holds, what it costs of a battery, and sockets
  /// that were opened meanwhile. One that throws is not recorded.
  ///
  /// ```swift
  /// let pose = try await runtime.measure("pose") { try await model.use { try $0.classify(frame) } }
  /// ```
  public func measure<Value>(
    _ model: String, on unit: ComputeUnit = .cpu, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    privacy.inferenceBegan(model)
    defer { privacy.inferenceEnded(model) }
    let start = ContinuousClock.now
    let value = try await body()
    let time = start.duration(to: .now)
    performance.record(InferenceSample(latency: time, memory: await bytes(of: model), unit: unit), of: model)
    return value
  }

  /// Bytes that a model holds; 0 where there is none.
  func bytes(of model: String) async -> UInt64 { await facts(of: model)?.bytes ?? 0 }
}
