// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Judges a voice while it speaks, away from who records it.
///
/// ```swift
/// let listener = try VocalAffectListener(classifier, format: SoundFormat(encoding: .signed16, rate: 48_000))
/// microphone.onSamples = { listener.offer($0) }
/// while let result = try await listener.next() { show(result) }
/// ```
///
/// Whoever records never waits: of sound that is not judged in time the last two seconds are kept, and ``counts`` says what
/// was lost. Memory is bounded, however long it runs.
public actor VocalAffectListener {
  /// What became of the bytes that were offered.
  public struct Counts: Sendable, Equatable {
    public internal(set) var offered = 0
    /// Given up for newer ones, or offered after the end.
    public internal(set) var dropped = 0
  }

  /// Seconds of sound that may wait.
  public static let patience = 2

  private var stream: VocalAffectStream
  private let pending: PendingSound

  /// - Throws: `ClassifierError.invalidInput` where the rate of `format` cannot be converted.
  public init(
    _ classifier: VocalAffectClassifier, format: SoundFormat, baseline: SpeakerBaseline = SpeakerBaseline()
  ) throws(ClassifierError) {
    stream = try VocalAffectStream(classifier, format: format, baseline: baseline)
    pending = PendingSound(frameSize: format.frameSize, limit: Self.patience * format.rate * format.frameSize)
  }

  /// Gives sound and returns at once. A piece need not end with a whole frame. O(bytes).
  public nonisolated func offer(_ bytes: [UInt8]) { pending.add(bytes) }

  /// No more sound comes.
  public nonisolated func finish() { pending.finish() }

  public nonisolated var counts: Counts { pending.counts }

  /// How the speaker speaks, as far as heard; keep it for the next listener of the same person.
  public var baseline: SpeakerBaseline { stream.baseline }

  /// Waits for enough sound and judges it; of several judgements that are due the newest is given. Nil after the end.
  /// Cancelling ends it.
  /// - Throws: `ClassifierError.invalidInput` for samples that are no numbers; more may be asked for all the same.
  public func next() async throws(ClassifierError) -> VocalAffectResult? {
    while let bytes = await pending.take() {
      if let result = try stream.hear(bytes.span.bytes) { return result }
    }
    return nil
  }
}

/// Sound on its way: whole frames, the newest, bounded.
final class PendingSound: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var counts = VocalAffectListener.Counts()
    var waiting: CheckedContinuation<[UInt8]?, Never>?
    var isFinished = false
  }

  private let frameSize: Int
  /// Bytes, whole frames.
  private let limit: Int
  private let state = Mutex(State())

  init(frameSize: Int, limit: Int) {
    self.frameSize = frameSize
    self.limit = limit
  }

  var counts: VocalAffectListener.Counts { state.withLock(\.counts) }

  func add(_ bytes: [UInt8]) {
    let ready = state.withLock { state -> (CheckedContinuation<[UInt8]?, Never>, [UInt8])? in
      state.counts.offered += bytes.count
      guard !state.isFinished else {
        state.counts.dropped += bytes.count
        return nil
      }
      state.bytes += bytes
      // Whole frames go, so that those that stay are still whole.
      let excess = (max(0, state.bytes.count - limit) + frameSize - 1) / frameSize * frameSize
      state.bytes.removeFirst(excess)
      state.counts.dropped += excess
      guard let waiting = state.waiting, let whole = takeWhole(&state) else { return nil }
      state.waiting = nil
      return (waiting, whole)
    }
    ready?.0.resume(returning: ready?.1)
  }

  func finish() {
    let waiting = state.withLock { state in
      state.isFinished = true
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: nil)
  }

  /// All whole frames that wait, as soon as there is one; nil after the end, which cancelling brings.
  func take() async -> [UInt8]? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (answer, replaced) = state.withLock { state -> ([UInt8]??, CheckedContinuation<[UInt8]?, Never>?) in
          if let whole = takeWhole(&state) { return (.some(whole), nil) }
          guard !state.isFinished else { return (.some(nil), nil) }
          defer { state.waiting = continuation }
          return (nil, state.waiting)
        }
        replaced?.resume(returning: nil)
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      finish()
    }
  }

  private func takeWhole(_ state: inout State) -> [UInt8]? {
    let count = state.bytes.count / frameSize * frameSize
    guard count > 0 else { return nil }
    defer { state.bytes.removeFirst(count) }
    return Array(state.bytes.prefix(count))
  }
}
