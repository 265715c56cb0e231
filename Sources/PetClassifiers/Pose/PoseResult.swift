// SPDX-License-Identifier: Apache-2.0
/// What was seen in a picture of people.
public struct PoseResult: Sendable, Equatable {
  /// Nil where nobody is there.
  public let pose: Pose?
  /// Nil where nobody is there.
  public let cues: PoseCues?
  /// How many people the detector saw when it last looked; the best seen is the one whose pose is given. While somebody is
  /// followed from frame to frame it does not look.
  public let people: Int
  /// Whether the person was followed from the frame before, without looking for people anew.
  public let isTracked: Bool

  package init(pose: Pose?, cues: PoseCues?, people: Int, isTracked: Bool) {
    self.pose = pose
    self.cues = cues
    self.people = people
    self.isTracked = isTracked
  }
}

extension PoseResult: Encodable {
  private enum Key: String, CodingKey {
    case people, pose, cues
    case isTracked = "is_tracked"
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(people, forKey: .people)
    try fields.encode(isTracked, forKey: .isTracked)
    try fields.encode(pose, forKey: .pose)
    try fields.encode(cues, forKey: .cues)
  }
}
