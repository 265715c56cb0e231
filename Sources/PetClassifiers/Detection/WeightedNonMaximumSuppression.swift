// SPDX-License-Identifier: Apache-2.0
/// Makes one detection of those that are about the same thing: the mean of boxes and keypoints, weighted by scores.
/// V. Bazarevsky and others, "BlazeFace", 2019, https://arxiv.org/abs/1907.05047, section 3.3.
package enum WeightedNonMaximumSuppression {
  /// - Parameter threshold: intersection over union from which on two detections are about the same thing.
  /// - Returns: the best first, each with the score of the best of those that it is made of.
  /// - Complexity: O(detections * results).
  package static func merged(_ detections: [Detection], threshold: Float) -> [Detection] {
    var rest = detections.sorted { $0.score > $1.score }
    var results: [Detection] = []
    while let best = rest.first {
      var same: [Detection] = []
      var others: [Detection] = []
      for detection in rest.dropFirst() {
        if detection.box.intersectionOverUnion(best.box) > threshold {
          same.append(detection)
        } else {
          others.append(detection)
        }
      }
      results.append(mean([best] + same))
      rest = others
    }
    return results
  }

  private static func mean(_ detections: [Detection]) -> Detection {
    let sum = detections.reduce(0) { $0 + $1.score }
    func mean(_ value: (Detection) -> Float) -> Float { detections.reduce(0) { $0 + value($1) * $1.score } / sum }
    let box = PictureBox(
      x: mean(\.box.x), y: mean(\.box.y), width: mean(\.box.width), height: mean(\.box.height))
    let keypoints = detections[0].keypoints.indices.map { index in
      PicturePoint(x: mean(\.keypoints[index].x), y: mean(\.keypoints[index].y))
    }
    return Detection(score: detections[0].score, box: box, keypoints: keypoints)
  }
}
