// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A turned square in a picture, which may reach beyond it; what a model looks at.
package struct PictureRegion: Sendable, Equatable, Codable {
  package let center: PicturePoint
  /// In pixels.
  package let side: Float
  /// Radians, clockwise as one looks at the picture, from -pi to pi: how far the square is turned from upright.
  package let rotation: Float

  /// Far outside of every picture, and still safe to compute with.
  private static let farthest: Float = 1e5

  /// Nil where a number is not finite, or so large that there is no such place near a picture; models may give anything.
  package init?(center: PicturePoint, side: Float, rotation: Float) {
    guard abs(center.x) <= Self.farthest, abs(center.y) <= Self.farthest, side >= 1, side <= Self.farthest,
      abs(rotation) <= Self.farthest
    else { return nil }
    self.center = center
    self.side = side
    self.rotation = rotation - 2 * .pi * ((rotation + .pi) / (2 * .pi)).rounded(.down)
  }

  /// The smallest upright square around a picture, with the picture in its middle.
  package init(around picture: Picture) {
    center = PicturePoint(x: Float(picture.width) / 2, y: Float(picture.height) / 2)
    side = Float(max(picture.width, picture.height))
    rotation = 0
  }

  /// The region that stands on the line from one point to another: in the middle the first, turned so that the line
  /// points upward, `scale` times twice as long as the line. MediaPipe's AlignmentPointsRectsCalculator.
  package init?(from start: PicturePoint, upTo end: PicturePoint, scale: Float) {
    let (x, y) = (end.x - start.x, end.y - start.y)
    self.init(center: start, side: 2 * scale * hypotf(x, y), rotation: .pi / 2 - atan2f(-y, x))
  }

  /// Where a place of the square, 0 to 1 from its top left corner, lies in the picture.
  package func place(_ u: Float, _ v: Float) -> PicturePoint {
    let (x, y) = turned((u - 0.5) * side, (v - 0.5) * side)
    return PicturePoint(x: center.x + x, y: center.y + y)
  }

  /// A direction in the square as one in the picture.
  package func turned(_ x: Float, _ y: Float) -> (x: Float, y: Float) {
    let (c, s) = (cosf(rotation), sinf(rotation))
    return (c * x - s * y, s * x + c * y)
  }

  /// Top left, top right, bottom right, bottom left.
  package var corners: [PicturePoint] { [place(0, 0), place(1, 0), place(1, 1), place(0, 1)] }
}
