// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Frames of a film on their way to a classifier: the newest wins, at most so many a second, and none is lost uncounted.
final class FrameQueue: Sendable {
  package struct Frame: Sendable {
    package let picture: Picture
    package let seconds: Double
  }

  private struct State {
    var pace: FramePace
    var counts = FrameCounts()
  }

  private let latest = LatestFrame<Frame>()
  private let state: Mutex<State>

  init(rate: Double) { state = Mutex(State(pace: FramePace(rate: rate))) }

  package var counts: FrameCounts { state.withLock(\.counts) }

  /// Returns at once.
  package func offer(_ picture: Picture, at seconds: Double) throws(ClassifierError) {
    guard seconds.isFinite else { throw .invalidInput("a frame's time is not a number") }
    let isTaken = state.withLock { state in
      state.counts.offered += 1
      let isTaken = state.pace.takes(seconds)
      if !isTaken { state.counts.skipped += 1 }
      return isTaken
    }
    guard isTaken, latest.put(Frame(picture: picture, seconds: seconds)) else { return }
    state.withLock { $0.counts.dropped += 1 }
  }

  package func finish() { latest.finish() }

  /// The newest frame, as soon as there is one; nil after the end. It counts as looked at.
  package func next() async -> Frame? {
    guard let frame = await latest.take() else { return nil }
    state.withLock { $0.counts.judged += 1 }
    return frame
  }
}
