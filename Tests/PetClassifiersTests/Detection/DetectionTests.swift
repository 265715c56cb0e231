// SPDX-License-Identifier: Apache-2.0
import Testing

import PetClassifiers

struct DetectionTests {
  /// Numbers of MediaPipe's graphs: 2254 and 896.
  @Test func `anchors are as many as the detectors have`() {
    let pose = SSDAnchors.places(size: 224, strides: [8, 16, 32, 32, 32])
    #expect(pose.count == 28 * 28 * 2 + 14 * 14 * 2 + 7 * 7 * 6)
    #expect(pose[0] == pose[1] && pose[0] == PicturePoint(x: 0.5 / 28, y: 0.5 / 28))
    #expect(pose.last == PicturePoint(x: 6.5 / 7, y: 6.5 / 7))
    #expect(SSDAnchors.places(size: 128, strides: [8, 16, 16, 16]).count == 896)
  }

  private static func detection(_ score: Float, _ x: Float) -> Detection {
    Detection(
      score: score, box: PictureBox(x: x, y: 0, width: 10, height: 10), keypoints: [PicturePoint(x: x, y: 5)])
  }

  @Test func `what overlaps becomes one, weighted by scores`() {
    let merged = WeightedNonMaximumSuppression.merged(
      [Self.detection(0.6, 2), Self.detection(0.9, 0), Self.detection(0.7, 100)], threshold: 0.3)
    #expect(merged.map(\.score) == [0.9, 0.7])
    #expect(abs(merged[0].box.x - 0.6 * 2 / 1.5) < 1e-5)
    #expect(abs(merged[0].keypoints[0].x - 0.8) < 1e-5)
    #expect(merged[1] == Self.detection(0.7, 100))
    #expect(WeightedNonMaximumSuppression.merged([], threshold: 0.3).isEmpty)
  }

  @Test func `overlap is that of the areas`() {
    let box = PictureBox(x: 0, y: 0, width: 10, height: 10)
    #expect(box.intersectionOverUnion(box) == 1)
    #expect(abs(box.intersectionOverUnion(PictureBox(x: 5, y: 0, width: 10, height: 10)) - 1 / 3) < 1e-6)
    #expect(box.intersectionOverUnion(PictureBox(x: 10, y: 0, width: 10, height: 10)) == 0)
    #expect(box.intersectionOverUnion(PictureBox(x: 2, y: 2, width: -4, height: 3)) == 0)
  }
}
