// SPDX-License-Identifier: Apache-2.0
import PetClassifiers
import PetInference
import PetRuntime

/// The classifiers of a program: none is loaded before it is asked, all share the memory budget of a ``ModelRuntime``.
///
/// ```swift
/// let classifiers = try await runtime.addClassifiers(configuration, in: store)
/// let result = try await classifiers.affect(try Waveform(wav: bytes))
/// ```
public struct Classifiers: Sendable {
  public let pose: LazyModel<SerialClassifier<PoseClassifier>>
  public let affect: LazyModel<VocalAffectClassifier>
  public let expression: LazyModel<SerialClassifier<ExpressionClassifier>>
  public let stress: LazyModel<StressClassifier>
  /// Whose memory they share.
  public let runtime: ModelRuntime
  /// Whether the configuration lets classifiers run that nobody waits for.
  private let runsOptional: Bool
  /// Told of every inference; ``ModelRuntime/performance`` is in any case.
  private let observer: Inference.Observer

  init(
    pose: LazyModel<SerialClassifier<PoseClassifier>>, affect: LazyModel<VocalAffectClassifier>,
    expression: LazyModel<SerialClassifier<ExpressionClassifier>>, stress: LazyModel<StressClassifier>,
    runtime: ModelRuntime, runsOptional: Bool, observer: @escaping Inference.Observer
  ) {
    self.pose = pose
    self.affect = affect
    self.expression = expression
    self.stress = stress
    self.runtime = runtime
    self.runsOptional = runsOptional
    self.observer = observer
  }

  /// Whether those may run that nobody waits for: a camera or a microphone that minds a person by itself. Not in the profile
  /// `watch`, and not on an empty battery.
  public func mayRunUnasked(_ power: PowerFacts) -> Bool { reasonAgainstUnasked(power) == nil }

  /// Why they may not, for people; nil: they may.
  package func reasonAgainstUnasked(_ power: PowerFacts) -> String? {
    if !runsOptional { return "classifiers.optional is off" }
    return DevicePolicy.allowsOptionalModels(power) ? nil : "the battery is below \(DevicePolicy.lowBattery) %"
  }

  /// Looks for a body in a picture.
  /// - Throws: `ModelError`, `CancellationError`.
  public func pose(_ picture: Picture) async throws -> PoseResult {
    try await run(pose) { try await $0.run { try $0.classify(picture) } }
  }

  /// Looks at the next picture of a film: who was there before is followed and smoothed. One film at a time.
  /// - Parameter seconds: when it was taken, by any clock.
  /// - Throws: `ModelError`, `CancellationError`.
  public func pose(following picture: Picture, at seconds: Double) async throws -> PoseResult {
    try await run(pose) { try await $0.run { try $0.follow(picture, at: seconds) } }
  }

  /// Looks at a face in a picture.
  /// - Throws: `ModelError`, `CancellationError`.
  public func expression(_ picture: Picture) async throws -> ExpressionResult {
    try await run(expression) { try await $0.run { try $0.classify(picture) } }
  }

  /// Listens to a whole sound.
  /// - Parameter baseline: how the speaker usually speaks, where known.
  /// - Throws: `ModelError`, `ThreadError`, `CancellationError`.
  public func affect(_ sound: Waveform, baseline: SpeakerBaseline? = nil) async throws -> VocalAffectResult {
    try await run(affect) { classifier in
      // Seconds of work are not for the pool of tasks, which has as many threads as processors.
      guard sound.duration > 10 else { return try classifier.classify(sound, baseline: baseline) }
      return try await onOwnThread { try classifier.classify(sound, baseline: baseline) }
    }
  }

  /// Judges recent signals.
  /// - Parameter quality: how many signals are looked at.
  /// - Throws: `ModelError`, `CancellationError`.
  public func stress(_ signals: StressSignals, quality: ModelQuality = .high) async throws -> StressAssessment {
    try await run(stress) { try $0.assess(signals, quality: quality) }
  }

  /// One inference, whichever it is: all pass here. Others than those above, such as the judgements of a stream, may too.
  /// - Throws: what a classifier throws as `ModelError`; what else `body` throws.
  public func run<Model: Sendable, Value: Sendable>(
    _ model: LazyModel<Model>, _ body: @Sendable (Model) async throws -> Value
  ) async throws -> Value {
    do {
      return try await model.use { loaded in
        let start = ContinuousClock.now
        do {
          let value = try await runtime.measure(model.name) { try await body(loaded) }
          await note(model, since: start, succeeded: true)
          return value
        } catch {
          await note(model, since: start, succeeded: false)
          throw error
        }
      }
    } catch let error as ClassifierError {
      throw ModelError(error, of: model.name)
    }
  }

  private func note<Model>(
    _ model: LazyModel<Model>, since start: ContinuousClock.Instant, succeeded: Bool
  ) async {
    let latency = ContinuousClock.now - start
    observer(
      Inference(
        model: model.name, version: await model.loadedVersion ?? "", latency: latency, succeeded: succeeded))
  }
}

/// One time that a model was asked, without what it was asked and what it said.
public struct Inference: Sendable, Equatable {
  public typealias Observer = @Sendable (Inference) -> Void

  /// As in `pet models list`.
  public let model: String
  /// Such as "PoseDetection_High".
  public let version: String
  /// Without the load before it.
  public let latency: Duration
  public let succeeded: Bool
}

extension ModelError {
  /// What a classifier says, as models of all kinds say it.
  init(_ error: ClassifierError, of model: String) {
    switch error {
    case .invalidInput(let reason): self = .invalidInput(model: model, reason: reason)
    case .invalidModel: self = .modelLoadFailed(model: model, underlying: error)
    case .unavailable(let reason): self = .modelNotAvailable(model: model, reason: reason)
    case .inferenceFailed: self = .inferenceFailed(model: model, underlying: error)
    }
  }
}
