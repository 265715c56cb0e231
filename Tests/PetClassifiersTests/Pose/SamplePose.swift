// SPDX-License-Identifier: Apache-2.0
import PetClassifiers

/// People of sticks, in metres from the middle of the hips; y points down. 200 pixels are a metre.
enum SamplePose {
  typealias Place = (x: Float, y: Float, z: Float)

  static let standing: [PoseJoint: Place] = [
    .nose: (0, -0.65, 0), .leftShoulder: (0.2, -0.5, 0), .rightShoulder: (-0.2, -0.5, 0),
    .leftElbow: (0.25, -0.25, 0), .rightElbow: (-0.25, -0.25, 0), .leftWrist: (0.25, 0, 0), .rightWrist: (-0.25, 0, 0),
    .leftHip: (0.1, 0, 0), .rightHip: (-0.1, 0, 0), .leftKnee: (0.1, 0.45, 0), .rightKnee: (-0.1, 0.45, 0),
    .leftAnkle: (0.1, 0.9, 0), .rightAnkle: (-0.1, 0.9, 0),
  ]

  /// Facing the camera: thighs point to it.
  static let sitting = standing.merging([
    .leftKnee: (0.1, 0.1, -0.44), .rightKnee: (-0.1, 0.1, -0.44), .leftAnkle: (0.1, 0.5, -0.44),
    .rightAnkle: (-0.1, 0.5, -0.44),
  ]) { $1 }

  /// On a side: what was up is right.
  static let lying = standing.mapValues { place in (x: -place.y, y: place.x, z: place.z) as Place }

  static func pose(
    _ places: [PoseJoint: Place], hidden: Set<PoseJoint> = [], moved: (x: Float, y: Float) = (0, 0)
  ) -> Pose {
    let landmarks = PoseJoint.allCases.map { joint in
      let place = places[joint] ?? (0, 0, 0)
      return Pose.Landmark(
        joint: joint, x: 300 + place.x * 200 + moved.x, y: 300 + place.y * 200 + moved.y, z: place.z * 200,
        visibility: places[joint] == nil || hidden.contains(joint) ? 0.1 : 0.9, presence: 0.9,
        world: Pose.World(x: place.x, y: place.y, z: place.z))
    }
    let circle = PoseCircle(
      middle: PicturePoint(x: 300 + moved.x, y: 300 + moved.y), top: PicturePoint(x: 300 + moved.x, y: 100 + moved.y))
    guard let region = circle.region else { fatalError("a region that cannot be") }
    return Pose(landmarks: landmarks, score: 1, region: region, circle: circle)
  }
}
