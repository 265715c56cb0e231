// SPDX-License-Identifier: Apache-2.0
/// One person, followed from frame to frame.
package struct PoseTrack: Sendable {

  package init() {}
  /// A gap after which it is looked for people anew.
  static let gapLimit = 1.0
  /// Frames that come faster than this are taken for this far apart.
  private static let leastSeconds = 0.001

  private var smoothing = PoseSmoothing()
  private var history: [(seconds: Double, pose: Pose)] = []

  /// Where to look next; nil where it must be looked for people: at the start, after a gap, or after time went back.
  package func region(at seconds: Double) -> PictureRegion? {
    guard let last = history.last, seconds >= last.seconds, seconds - last.seconds <= Self.gapLimit else { return nil }
    return last.pose.circle.region
  }

  /// Adds the pose of a frame; gives it smoothed, with what follows from those before.
  package mutating func add(_ pose: Pose, at seconds: Double) -> (pose: Pose, cues: PoseCues) {
    let step = history.last.map { max(seconds - $0.seconds, Self.leastSeconds) } ?? 1
    let smooth = smoothing.smooth(pose, seconds: Float(step))
    history.removeAll { seconds - $0.seconds > PoseCues.motionSeconds }
    // What was seen a moment ago says nothing about motion yet.
    let isLong = history.first.map { seconds - $0.seconds >= PoseCues.motionSeconds / 2 } ?? false
    let cues = PoseCues(smooth, earlier: isLong ? history.map(\.pose) : [])
    history.append((seconds, smooth))
    return (smooth, cues)
  }
}
