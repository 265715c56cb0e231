// SPDX-License-Identifier: Apache-2.0
/// Where the joints of one person are.
public struct Pose: Sendable, Equatable {
  /// One of the 33 places.
  public struct Landmark: Sendable, Equatable {
    public let joint: PoseJoint
    /// In the picture, in pixels; it may be outside.
    public package(set) var x: Float
    public package(set) var y: Float
    /// Depth in about the same unit, from the middle of the hips, smaller nearer to the camera. A guess.
    public package(set) var z: Float
    /// How probably it is in the picture and not hidden, 0 to 1.
    public package(set) var visibility: Float
    /// How probably it is in the picture, 0 to 1.
    public let presence: Float
    public package(set) var world: World

    package init(joint: PoseJoint, x: Float, y: Float, z: Float, visibility: Float, presence: Float, world: World) {
      self.joint = joint
      self.x = x
      self.y = y
      self.z = z
      self.visibility = visibility
      self.presence = presence
      self.world = world
    }
  }

  /// Metres from the middle of the hips: to the right in the picture, down, away from the camera. A guess.
  public struct World: Sendable, Equatable, Encodable {
    public package(set) var x: Float
    public package(set) var y: Float
    public package(set) var z: Float

    package init(x: Float, y: Float, z: Float) {
      self.x = x
      self.y = y
      self.z = z
    }
  }

  /// All 33, in the order of ``PoseJoint``.
  public package(set) var landmarks: [Landmark]
  /// How probably there is a person at all, 0.5 to 1.
  public let score: Float
  /// Where the landmarks were looked for.
  package let region: PictureRegion
  /// The circle around the body, as the model sees it: its middle and a point on it. The next frame's region is made of
  /// them.
  package var circle: PoseCircle

  package init(landmarks: [Landmark], score: Float, region: PictureRegion, circle: PoseCircle) {
    self.landmarks = landmarks
    self.score = score
    self.region = region
    self.circle = circle
  }

  public subscript(joint: PoseJoint) -> Landmark { landmarks[joint.rawValue] }
}

/// A circle around a body that turns with it: the middle of the hips, and the point above the head.
package struct PoseCircle: Sendable, Equatable {
  package var middle: PicturePoint
  package var top: PicturePoint

  package init(middle: PicturePoint, top: PicturePoint) {
    self.middle = middle
    self.top = top
  }

  /// A quarter more than the circle, so that nothing is cut off; MediaPipe's RectTransformationCalculator.
  private static let margin: Float = 1.25

  /// Nil where there can be no such region.
  package var region: PictureRegion? { PictureRegion(from: middle, upTo: top, scale: Self.margin) }
}

extension Pose: Encodable {
  private enum Key: String, CodingKey { case score, region, landmarks }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(score, forKey: .score)
    try fields.encode(region, forKey: .region)
    try fields.encode(landmarks, forKey: .landmarks)
  }
}

extension Pose.Landmark: Encodable {
  private enum Key: String, CodingKey { case name, x, y, z, visibility, presence, world }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(joint.name, forKey: .name)
    try fields.encode(x, forKey: .x)
    try fields.encode(y, forKey: .y)
    try fields.encode(z, forKey: .z)
    try fields.encode(visibility, forKey: .visibility)
    try fields.encode(presence, forKey: .presence)
    try fields.encode(world, forKey: .world)
  }
}
