// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds the joints of the person in a region: MediaPipe's modules/pose_landmark ("full"), without the heatmap by which
/// MediaPipe refines them.
final class PoseLandmarkModel {
  /// 33 of a body, 2 that say where it is (``PoseCircle``), 4 of the hands that nobody uses.
  private static let points = 39
  private static let size = 256
  /// Below this probability nobody is there.
  private static let presenceThreshold: Float = 0.5

  private let model: PictureModel
  private let sampler: PictureSampler

  /// - Throws: `invalidModel` where the graph is another.
  init(_ weights: GGUFWeights, threads: Int) throws(ClassifierError) {
    model = try PictureModel(weights, threads: threads)
    try model.require(
      input: [1, Self.size, Self.size, 3],
      outputs: ["landmarks": Self.points * 5, "presence": 1, "world": Self.points * 3])
    sampler = PictureSampler(size: Self.size, range: model.range, border: .edge)
  }

  /// Nil where nobody is in the region.
  package func pose(in region: PictureRegion, of picture: Picture) throws(ClassifierError) -> Pose? {
    let outputs = try model.run(sampler.color(picture, region))
    guard let landmarks = outputs["landmarks"], let world = outputs["world"], let score = outputs["presence"]?.first,
      score >= Self.presenceThreshold
    else { return nil }
    // Rows of x, y, z in pixels of 256, and logits of visibility and presence.
    func place(_ point: Int) -> PicturePoint {
      region.place(landmarks[point * 5] / Float(Self.size), landmarks[point * 5 + 1] / Float(Self.size))
    }
    func sigmoid(_ value: Float) -> Float { 1 / (1 + expf(-value)) }
    let joints = PoseJoint.allCases.map { joint in
      let (row, place) = (joint.rawValue * 5, place(joint.rawValue))
      let turned = region.turned(world[joint.rawValue * 3], world[joint.rawValue * 3 + 1])
      return Pose.Landmark(
        joint: joint, x: place.x, y: place.y, z: landmarks[row + 2] / Float(Self.size) * region.side,
        visibility: sigmoid(landmarks[row + 3]), presence: sigmoid(landmarks[row + 4]),
        world: Pose.World(x: turned.x, y: turned.y, z: world[joint.rawValue * 3 + 2]))
    }
    return Pose(
      landmarks: joints, score: score, region: region, circle: PoseCircle(middle: place(33), top: place(34)))
  }
}
