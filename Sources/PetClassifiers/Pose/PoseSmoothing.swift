// SPDX-License-Identifier: Apache-2.0
/// Smooths the poses of one person from frame to frame, as MediaPipe's pose_landmark_filtering does with the same numbers.
struct PoseSmoothing: Sendable {
  private static let joint = OneEuroFilter.Parameters(cutoff: 0.05, beta: 80)
  private static let circle = OneEuroFilter.Parameters(cutoff: 0.01, beta: 10)
  private static let world = OneEuroFilter.Parameters(cutoff: 0.1, beta: 40)
  /// Of what is new, in a visibility.
  private static let visibilityWeight: Float = 0.1

  private var joints = [OneEuroFilter](repeating: OneEuroFilter(joint), count: 3 * PoseJoint.allCases.count)
  private var worlds = [OneEuroFilter](repeating: OneEuroFilter(world), count: 3 * PoseJoint.allCases.count)
  private var circles = [OneEuroFilter](repeating: OneEuroFilter(circle), count: 4)
  private var visibilities: [Float]?

  /// - Parameter seconds: since the frame before; more than 0.
  package mutating func smooth(_ pose: Pose, seconds: Float) -> Pose {
    var result = pose
    // Speed is in sizes of the body per second, so that near and far are smoothed alike.
    let (x, y) = (pose.circle.top.x - pose.circle.middle.x, pose.circle.top.y - pose.circle.middle.y)
    let scale = 1 / max(2 * (x * x + y * y).squareRoot(), 1e-6)
    for index in pose.landmarks.indices {
      let landmark = pose.landmarks[index]
      result.landmarks[index].x = joints[3 * index].smooth(landmark.x, seconds: seconds, scale: scale)
      result.landmarks[index].y = joints[3 * index + 1].smooth(landmark.y, seconds: seconds, scale: scale)
      result.landmarks[index].z = joints[3 * index + 2].smooth(landmark.z, seconds: seconds, scale: scale)
      result.landmarks[index].world = Pose.World(
        x: worlds[3 * index].smooth(landmark.world.x, seconds: seconds, scale: 1),
        y: worlds[3 * index + 1].smooth(landmark.world.y, seconds: seconds, scale: 1),
        z: worlds[3 * index + 2].smooth(landmark.world.z, seconds: seconds, scale: 1))
      if let before = visibilities?[index] {
        result.landmarks[index].visibility = before + Self.visibilityWeight * (landmark.visibility - before)
      }
    }
    visibilities = result.landmarks.map(\.visibility)
    result.circle.middle.x = circles[0].smooth(pose.circle.middle.x, seconds: seconds, scale: scale)
    result.circle.middle.y = circles[1].smooth(pose.circle.middle.y, seconds: seconds, scale: scale)
    result.circle.top.x = circles[2].smooth(pose.circle.top.x, seconds: seconds, scale: scale)
    result.circle.top.y = circles[3].smooth(pose.circle.top.y, seconds: seconds, scale: scale)
    return result
  }
}
