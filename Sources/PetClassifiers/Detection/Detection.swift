// SPDX-License-Identifier: Apache-2.0
/// Something that was found in a picture.
package struct Detection: Sendable, Equatable {
  /// 0 to 1.
  package let score: Float
  package let box: PictureBox
  /// What they are depends on the detector.
  package let keypoints: [PicturePoint]

  package init(score: Float, box: PictureBox, keypoints: [PicturePoint]) {
    self.score = score
    self.box = box
    self.keypoints = keypoints
  }
}

/// An upright rectangle in a picture, in pixels; it may reach beyond the picture.
public struct PictureBox: Sendable, Equatable, Codable {
  public let x: Float
  public let y: Float
  public let width: Float
  public let height: Float

  package init(x: Float, y: Float, width: Float, height: Float) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Overlap divided by what both cover together, 0 to 1.
  package func intersectionOverUnion(_ other: PictureBox) -> Float {
    let across = min(x + width, other.x + other.width) - max(x, other.x)
    let down = min(y + height, other.y + other.height) - max(y, other.y)
    guard across > 0, down > 0 else { return 0 }
    let union = width * height + other.width * other.height - across * down
    return union > 0 ? across * down / union : 0
  }
}
