// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How a detector was made. Both are MediaPipe 0.10.21's, whose graphs say these numbers.
struct SSDParameters {
  /// Pixels of a side of what it sees.
  package let size: Int
  package let strides: [Int]
  package let keypoints: Int

  /// modules/pose_detection: middle of the hips, and the top of the circle around the body; the same for the upper body.
  package static let pose = SSDParameters(size: 224, strides: [8, 16, 32, 32, 32], keypoints: 4)
  /// modules/face_detection, short range (2 m): right eye, left eye, nose, mouth, right ear, left ear, as the person has
  /// them.
  package static let face = SSDParameters(size: 128, strides: [8, 16, 16, 16], keypoints: 6)

  /// From this score on something is there.
  static let scoreThreshold: Float = 0.5
  /// From this intersection over union on it is the same thing.
  static let overlapThreshold: Float = 0.3
}

/// Finds things of one kind in a whole picture.
final class SSDDetector {
  private let model: PictureModel
  private let parameters: SSDParameters
  private let anchors: [PicturePoint]
  private let sampler: PictureSampler

  /// - Throws: `invalidModel` where the graph is not such a detector's.
  init(_ weights: GGUFWeights, _ parameters: SSDParameters, threads: Int) throws(ClassifierError) {
    self.parameters = parameters
    anchors = SSDAnchors.places(size: parameters.size, strides: parameters.strides)
    model = try PictureModel(weights, threads: threads)
    let rowCount = 4 + 2 * parameters.keypoints
    try model.require(
      input: [1, parameters.size, parameters.size, 3],
      outputs: ["boxes": anchors.count * rowCount, "scores": anchors.count])
    sampler = PictureSampler(size: parameters.size, range: model.range, border: .black)
  }

  /// All that are there, the best first.
  func detect(_ picture: Picture) throws(ClassifierError) -> [Detection] {
    let region = PictureRegion(around: picture)
    let outputs = try model.run(sampler.color(picture, region))
    guard let boxes = outputs["boxes"], let scores = outputs["scores"] else { return [] }
    let candidates = scores.indices.compactMap { index in
      // Sigmoid, of what does not overflow.
      let score = 1 / (1 + expf(-min(max(scores[index], -100), 100)))
      return score >= SSDParameters.scoreThreshold ? decode(boxes, index, score, in: region) : nil
    }
    return WeightedNonMaximumSuppression.merged(candidates, threshold: SSDParameters.overlapThreshold)
  }

  /// Row `index` of `boxes` is x, y, width, height, and x, y of each keypoint, in pixels from the anchor.
  private func decode(_ boxes: [Float], _ index: Int, _ score: Float, in region: PictureRegion) -> Detection {
    let row = index * (4 + 2 * parameters.keypoints)
    let (anchor, size) = (anchors[index], Float(parameters.size))
    func place(_ offset: Int) -> PicturePoint {
      region.place(boxes[row + offset] / size + anchor.x, boxes[row + offset + 1] / size + anchor.y)
    }
    let middle = place(0)
    let (boxWidth, boxHeight) = (boxes[row + 2] / size * region.side, boxes[row + 3] / size * region.side)
    let box = PictureBox(
      x: middle.x - boxWidth / 2, y: middle.y - boxHeight / 2, width: boxWidth, height: boxHeight)
    return Detection(score: score, box: box, keypoints: (0..<parameters.keypoints).map { place(4 + 2 * $0) })
  }
}
