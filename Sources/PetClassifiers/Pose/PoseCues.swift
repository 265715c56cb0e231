// SPDX-License-Identifier: Apache-2.0
/// What a companion can use of a pose.
public struct PoseCues: Sendable, Equatable {
  public enum Posture: String, Sendable, Codable, CaseIterable {
    case standing, sitting, lying
    /// Too little of the body is seen, or it is something in between.
    case unknown
  }

  public enum RaisedArms: String, Sendable, Codable, CaseIterable { case none, left, right, both }

  public enum Motion: String, Sendable, Codable, CaseIterable {
    case still, moving
    /// Not watched for long enough.
    case unknown
  }

  public let posture: Posture
  /// The person's own left and right.
  public let raisedArms: RaisedArms
  public let motion: Motion

  /// - Parameter earlier: the same person before, at most ``motionSeconds`` ago; what says nothing about motion is left out.
  package init(_ pose: Pose, earlier: [Pose] = []) {
    posture = Self.posture(pose)
    raisedArms = Self.raisedArms(pose)
    motion = Self.motion(pose, earlier: earlier)
  }

  /// From this visibility on a joint counts as seen.
  package static let seen: Float = 0.5
  /// How far back motion is looked for.
  public static let motionSeconds = 1.0
  /// How far a joint goes, in lengths of the trunk, when somebody moves: some 8 cm.
  static let movingDistance: Float = 0.15

  /// By the angles of trunk and thighs to the vertical, in metres, so that a thigh that points to the camera is one that
  /// lies. The camera is taken to be held level.
  package static func posture(_ pose: Pose) -> Posture {
    guard
      let trunk = pose.uprightness([(.leftHip, .leftShoulder), (.rightHip, .rightShoulder)])
    else { return .unknown }
    guard abs(trunk) > 0.5 else { return .lying }  // more than 60 degrees from the vertical
    guard let thighs = pose.uprightness([(.leftKnee, .leftHip), (.rightKnee, .rightHip)]) else { return .unknown }
    // Between 45 and 55 degrees it is neither.
    return thighs > 0.71 ? .standing : thighs < 0.57 ? .sitting : .unknown
  }

  /// An arm is up where the wrist is seen above the nose and above its elbow.
  package static func raisedArms(_ pose: Pose) -> RaisedArms {
    func isUp(_ wrist: PoseJoint, _ elbow: PoseJoint) -> Bool {
      let (wrist, elbow, nose) = (pose[wrist], pose[elbow], pose[.nose])
      return [wrist, elbow, nose].allSatisfy { $0.visibility >= seen } && wrist.y < min(elbow.y, nose.y)
    }
    return switch (isUp(.leftWrist, .leftElbow), isUp(.rightWrist, .rightElbow)) {
    case (true, true): .both
    case (true, false): .left
    case (false, true): .right
    case (false, false): .none
    }
  }

  /// By how far the joint that moved most is from where it was at any time, in lengths of the trunk.
  package static func motion(_ pose: Pose, earlier: [Pose]) -> Motion {
    let joints: [PoseJoint] = [
      .nose, .leftShoulder, .rightShoulder, .leftElbow, .rightElbow, .leftWrist, .rightWrist, .leftHip, .rightHip,
      .leftKnee, .rightKnee, .leftAnkle, .rightAnkle,
    ]
    guard let trunk = pose.trunkLength, !earlier.isEmpty else { return .unknown }
    let farthest = earlier.lazy.flatMap { before in
      joints.lazy.filter { min(pose[$0].visibility, before[$0].visibility) >= seen }
        .map { pose[$0].distance(to: before[$0]) }
    }.max()
    guard let farthest else { return .unknown }
    return farthest >= movingDistance * trunk ? .moving : .still
  }
}

extension Pose {
  /// Cosine of the angle between the vertical and the way from one joint up to another, the mean of those ways that are
  /// seen; 1 is upright, -1 upside down. Nil where none is.
  fileprivate func uprightness(_ ways: [(from: PoseJoint, to: PoseJoint)]) -> Float? {
    let cosines = ways.compactMap { way -> Float? in
      let (from, to) = (self[way.from], self[way.to])
      guard min(from.visibility, to.visibility) >= PoseCues.seen else { return nil }
      let (x, y, z) = (to.world.x - from.world.x, to.world.y - from.world.y, to.world.z - from.world.z)
      let length = (x * x + y * y + z * z).squareRoot()
      return length > 0 ? -y / length : nil  // y points down
    }
    return cosines.isEmpty ? nil : cosines.reduce(0, +) / Float(cosines.count)
  }

  /// From the middle of the shoulders to that of the hips, in pixels; hips are guessed where they are not seen.
  fileprivate var trunkLength: Float? {
    let (a, b, c, d) = (self[.leftShoulder], self[.rightShoulder], self[.leftHip], self[.rightHip])
    let (x, y) = ((a.x + b.x - c.x - d.x) / 2, (a.y + b.y - c.y - d.y) / 2)
    let length = (x * x + y * y).squareRoot()
    return length > 0 ? length : nil
  }
}

extension Pose.Landmark {
  fileprivate func distance(to other: Self) -> Float {
    ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
  }
}

extension PoseCues: Encodable {
  private enum Key: String, CodingKey {
    case posture, motion
    case raisedArms = "raised_arms"
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(posture, forKey: .posture)
    try fields.encode(raisedArms, forKey: .raisedArms)
    try fields.encode(motion, forKey: .motion)
  }
}
