// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the face detector found, as regions to look at next.
extension Detection {
  private var eyes: (right: PicturePoint, left: PicturePoint) { (keypoints[0], keypoints[1]) }

  /// How far a face is turned from level eyes.
  private var faceRotation: Float { atan2f(eyes.left.y - eyes.right.y, eyes.left.x - eyes.right.x) }

  /// Half as much again as the box, for the mesh; MediaPipe's face_detection_front_detection_to_roi.
  var meshRegion: PictureRegion? {
    let middle = PicturePoint(x: box.x + box.width / 2, y: box.y + box.height / 2)
    return PictureRegion(center: middle, side: 1.5 * max(box.width, box.height), rotation: faceRotation)
  }

  /// ``FaceMesh/square`` without a mesh: measured on the same faces, it is as wide as the box, and its middle lies 0.12 of
  /// that below the eyes.
  var faceSquare: PictureRegion? {
    let (c, s, down) = (cosf(faceRotation), sinf(faceRotation), 0.12 * box.width)
    let (x, y) = ((eyes.left.x + eyes.right.x) / 2, (eyes.left.y + eyes.right.y) / 2)
    return PictureRegion(
      center: PicturePoint(x: x - s * down, y: y + c * down), side: box.width, rotation: faceRotation)
  }
}
