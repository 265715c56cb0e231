/// Where the joints of one person are.
public struct Pose: Sendable, Equatable {
  /// One of the 33 places.
  public struct Landmark: Sendable, Equatable {
    public let joint: PoseJoint
    /// In the picture, in pixels; it may be outside.
    public internal(set) var x: Float
    public internal(set) var y: Float
    /// Depth in about the same unit, from the middle of the hips, smaller nearer to the camera. A guess.
    public internal(set) var z: Float
    /// How probably it is in the picture and not hidden, 0 to 1.
    public internal(set) var visibility: Float
    /// How probably it is in the picture, 0 to 1.
    public let presence: Float
    public internal(set) var world: World
  }

  /// Metres from the middle of the hips: to the right in the picture, down, away from the camera. A guess.
  public struct World: Sendable, Equatable, Encodable {
    public internal(set) var x: Float
    public internal(set) var y: Float
    public internal(set) var z: Float
  }

  /// All 33, in the order of ``PoseJoint``.
  public internal(set) var landmarks: [Landmark]
  /// How probably there is a person at all, 0.5 to 1.
  public let score: Float
  /// Where the landmarks were looked for.
  public let region: PictureRegion
  /// The circle around the body, as the model sees it: its middle and a point on it. The next frame's region is made of
  /// them.
  var circle: PoseCircle

  public subscript(joint: PoseJoint) -> Landmark { landmarks[joint.rawValue] }
}

/// A circle around a body that turns with it: the middle of the hips, and the point above the head.
struct PoseCircle: Sendable, Equatable {
  var middle: PicturePoint
  var top: PicturePoint

  /// A quarter more than the circle, so that nothing is cut off; MediaPipe's RectTransformationCalculator.
  private static let margin: Float = 1.25

  /// Nil where there can be no such region.
  var region: PictureRegion? { PictureRegion(from: middle, upTo: top, scale: Self.margin) }
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
