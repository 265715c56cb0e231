// SPDX-License-Identifier: Apache-2.0
/// Red, green, blue.
package struct PictureColor: Sendable, Equatable {
  package let red: UInt8
  package let green: UInt8
  package let blue: UInt8

  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  package static let white = PictureColor(red: 255, green: 255, blue: 255)
  package static let black = PictureColor(red: 0, green: 0, blue: 0)
  static let orange = PictureColor(red: 255, green: 140, blue: 0)
  static let blue = PictureColor(red: 0, green: 170, blue: 255)
  static let green = PictureColor(red: 60, green: 220, blue: 90)
}

/// Drawing without smooth edges. What lies outside of the picture is left out.
extension Picture {
  /// Thickness of lines that can be seen well in a picture of this size, in pixels.
  var strokeWidth: Float { max(1.5, Float(max(width, height)) / 250) }

  package mutating func drawDisc(_ center: PicturePoint, radius: Float, _ color: PictureColor) {
    guard isNear(center) else { return }
    let rows =
      Int((center.y - radius).rounded(.up))...max(Int((center.y - radius).rounded(.up)), Int(center.y + radius))
    for y in rows where (0..<height).contains(y) {
      let half = (max(radius * radius - (Float(y) - center.y) * (Float(y) - center.y), 0)).squareRoot()
      let (first, last) = (max(Int((center.x - half).rounded(.up)), 0), min(Int(center.x + half), width - 1))
      guard first <= last else { continue }
      for x in first...last { draw(x, y, color) }
    }
  }

  package mutating func drawLine(_ start: PicturePoint, _ end: PicturePoint, _ color: PictureColor) {
    guard isNear(start), isNear(end) else { return }
    let (x, y) = (end.x - start.x, end.y - start.y)
    let steps = max(Int(max(abs(x), abs(y)).rounded(.up)), 1)
    for step in 0...steps {
      let part = Float(step) / Float(steps)
      drawDisc(PicturePoint(x: start.x + part * x, y: start.y + part * y), radius: strokeWidth / 2, color)
    }
  }

  /// Through all points and back to the first.
  mutating func drawOutline(_ points: [PicturePoint], _ color: PictureColor) {
    for (index, point) in points.enumerated() { drawLine(point, points[(index + 1) % points.count], color) }
  }

  package mutating func drawBox(_ box: PictureBox, _ color: PictureColor) {
    let (right, bottom) = (box.x + box.width, box.y + box.height)
    drawOutline(
      [
        PicturePoint(x: box.x, y: box.y), PicturePoint(x: right, y: box.y), PicturePoint(x: right, y: bottom),
        PicturePoint(x: box.x, y: bottom),
      ], color)
  }

  /// Lines of text on a dark ground, moved so that they are inside where that is possible.
  package mutating func drawLabel(_ lines: [String], at place: PicturePoint, _ color: PictureColor) {
    guard isNear(place) else { return }
    let scale = max(1, Int(strokeWidth))
    let (columnStep, lineStep) = ((BitmapFont.width + 1) * scale, (BitmapFont.height + 2) * scale)
    let (labelWidth, labelHeight) = ((lines.map(\.count).max() ?? 0) * columnStep + scale, lines.count * lineStep)
    let left = max(0, min(Int(place.x), width - labelWidth))
    let top = max(0, min(Int(place.y), height - labelHeight))
    for y in top..<min(top + labelHeight, height) {
      for x in left..<min(left + labelWidth, width) { draw(x, y, .black) }
    }
    for (line, text) in lines.enumerated() {
      for (column, character) in text.enumerated() {
        let (x, y) = (left + scale + column * columnStep, top + scale + line * lineStep)
        guard x < width, y < height else { break }
        for (row, points) in (BitmapFont.glyph(character) ?? []).enumerated() {
          for (point, isSet) in points.enumerated() where isSet {
            for i in 0..<scale {
              for j in 0..<scale { draw(x + point * scale + j, y + row * scale + i, color) }
            }
          }
        }
      }
    }
  }

  private mutating func draw(_ x: Int, _ y: Int, _ color: PictureColor) {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return }
    let place = (y * width + x) * 3
    (pixels[place], pixels[place + 1], pixels[place + 2]) = (color.red, color.green, color.blue)
  }

  /// Whether it is safe to compute with a place in whole numbers, and quick to draw on the way to it.
  private func isNear(_ point: PicturePoint) -> Bool {
    let limit = Float(2 * Self.sideLimit)
    return abs(point.x) <= limit && abs(point.y) <= limit
  }
}
