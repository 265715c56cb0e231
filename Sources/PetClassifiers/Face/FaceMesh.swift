// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// 468 points on a face. Y. Kartynnik and others, "Real-time Facial Surface Geometry from Monocular Video on Mobile GPUs",
/// 2019, https://arxiv.org/abs/1907.06724
struct FaceMesh: Sendable, Equatable {
  static let pointCount = 468
  /// Outer corners of the eyes, as the person has them.
  private static let (rightEye, leftEye) = (33, 263)

  /// How probably there is a face, 0.5 to 1.
  package let score: Float
  /// In the picture, in pixels.
  package let points: [PicturePoint]

  /// The square of a face that expression models were trained on: level eyes, from the middle of the forehead to the chin.
  ///
  /// Both models were trained on what OpenCV's frontal face cascade cuts out; against the mesh of the same face its squares
  /// measured 0.93 of the mesh's height, and their middle 0.095 of it higher.
  package var square: PictureRegion? {
    let (right, left) = (points[Self.rightEye], points[Self.leftEye])
    let rotation = atan2f(left.y - right.y, left.x - right.x)
    let (c, s) = (cosf(rotation), sinf(rotation))
    // Turned back, so that the eyes are level.
    let level = points.map { PicturePoint(x: c * $0.x + s * $0.y, y: c * $0.y - s * $0.x) }
    let (lowX, highX) = level.reduce((Float.infinity, -Float.infinity)) { (min($0.0, $1.x), max($0.1, $1.x)) }
    let (lowY, highY) = level.reduce((Float.infinity, -Float.infinity)) { (min($0.0, $1.y), max($0.1, $1.y)) }
    let height = highY - lowY
    let (x, y) = ((lowX + highX) / 2, (lowY + highY) / 2 - 0.095 * height)
    return PictureRegion(
      center: PicturePoint(x: c * x - s * y, y: s * x + c * y), side: 0.93 * height, rotation: rotation)
  }
}

/// Finds the points of the face in a region: MediaPipe's modules/face_landmark.
final class FaceMeshModel {
  private static let size = 192
  private static let scoreThreshold: Float = 0.5

  private let model: PictureModel
  private let sampler: PictureSampler

  /// - Throws: `invalidModel` where the graph is another.
  init(_ weights: GGUFWeights, threads: Int) throws(ClassifierError) {
    model = try PictureModel(weights, threads: threads)
    try model.require(
      input: [1, Self.size, Self.size, 3], outputs: ["landmarks": FaceMesh.pointCount * 3, "presence": 1])
    sampler = PictureSampler(size: Self.size, range: model.range, border: .edge)
  }

  /// Nil where there is no face in the region.
  package func mesh(in region: PictureRegion, of picture: Picture) throws(ClassifierError) -> FaceMesh? {
    let outputs = try model.run(sampler.color(picture, region))
    guard let landmarks = outputs["landmarks"], let logit = outputs["presence"]?.first else { return nil }
    let score = 1 / (1 + expf(-logit))
    guard score >= Self.scoreThreshold else { return nil }
    let points = (0..<FaceMesh.pointCount).map { point in
      // x, y, z in pixels of 192
      region.place(landmarks[point * 3] / Float(Self.size), landmarks[point * 3 + 1] / Float(Self.size))
    }
    return FaceMesh(score: score, points: points)
  }
}
