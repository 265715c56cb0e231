// SPDX-License-Identifier: Apache-2.0
/// Drawing with smooth edges. What lies outside of the picture is left out.
extension Picture {
  /// Thickness of lines that can be seen well in a picture of this size, in pixels.
  var strokeWidth: Float { max(1.5, Float(max(width, height)) / 250) }

  /// Height of capitals that can be read well in a picture of this size, in pixels.
  var capital: Float { max(9, Float(max(width, height)) * 0.026) }

  private var mask: Mask { Mask(width: width, height: height) }

  package mutating func drawDisc(_ center: PicturePoint, radius: Float, _ color: PictureColor) {
    drawLines([[center]], radius: radius, color)
  }

  package mutating func drawLine(_ start: PicturePoint, _ end: PicturePoint, _ color: PictureColor) {
    drawLines([[start, end]], radius: strokeWidth / 2, color)
  }

  /// Chains of lines with round ends, as one shape; of one point a disc.
  /// - Complexity: O(pixels).
  mutating func drawLines(
    _ chains: [[PicturePoint]], radius: Float, _ color: PictureColor, opacity: Float = 1, isClosed: Bool = false
  ) {
    var shape = mask
    for chain in chains { shape.add(chain, radius: radius, isClosed: isClosed) }
    fill(shape, color, opacity: opacity)
  }

  package mutating func drawBox(_ box: PictureBox, _ color: PictureColor) {
    let (right, bottom) = (box.x + box.width, box.y + box.height)
    let corners = [
      PicturePoint(x: box.x, y: box.y), PicturePoint(x: right, y: box.y), PicturePoint(x: right, y: bottom),
      PicturePoint(x: box.x, y: bottom),
    ]
    drawLines([corners], radius: strokeWidth / 2, color, isClosed: true)
  }

  /// A line of text.
  /// - Parameters:
  ///   - place: the left end of its base line.
  ///   - capital: height of a capital, in pixels.
  package mutating func drawText(_ text: String, at place: PicturePoint, capital: Float, _ color: PictureColor) {
    let unit = capital / StrokeFont.capital
    var shape = mask
    var left: Float = 0
    for character in text {
      guard let glyph = StrokeFont.glyph(character) else {
        left += StrokeFont.space + StrokeFont.gap
        continue
      }
      for stroke in glyph.strokes {
        let points = stroke.map { point in
          PicturePoint(x: place.x + (left + point.x) * unit, y: place.y + (point.y - StrokeFont.capital) * unit)
        }
        shape.add(points, radius: max(0.55, StrokeFont.pen * unit / 2))
      }
      left += glyph.width + StrokeFont.gap
    }
    fill(shape, color)
  }

  /// Where a caption lies.
  package enum CaptionPlace: Sendable, Equatable {
    case bottomLeft
    /// In the middle below a box, or above it where there is no room.
    case beside(PictureBox)
  }

  /// Lines of text on a dark ground with round corners, the first larger than the others; moved and made smaller so that all is inside
  /// where that is possible.
  package mutating func drawCaption(_ lines: [String], _ place: CaptionPlace) {
    guard !lines.isEmpty else { return }
    let widest = lines.enumerated().map { StrokeFont.width($1) * Self.size(ofLine: $0) }.max() ?? 0
    // In capitals of the first line.
    let (paddingX, paddingY, leading) = (Float(0.95), Float(0.85), Float(0.75))
    let heights = lines.indices.map(Self.size(ofLine:))
    let depth = StrokeFont.depth / StrokeFont.capital
    let across = widest / StrokeFont.capital + 2 * paddingX
    let down = heights.reduce(0, +) + leading * Float(lines.count - 1) + 2 * paddingY + depth * (heights.last ?? 0) / 2
    let margin = strokeWidth * 3
    let capital = min(self.capital, (Float(width) - 2 * margin) / across, (Float(height) - 2 * margin) / down)
    guard capital > 0 else { return }
    let (labelWidth, labelHeight) = (across * capital, down * capital)
    let wanted = self.place(place, labelWidth, labelHeight, margin)
    let left = max(margin, min(wanted.x, Float(width) - margin - labelWidth))
    let top = max(margin, min(wanted.y, Float(height) - margin - labelHeight))
    var ground = mask
    ground.add(left: left, top: top, width: labelWidth, height: labelHeight, corner: capital * 0.7)
    fill(ground, .ink, opacity: 0.8)
    var base = top + paddingY * capital
    for (index, line) in lines.enumerated() {
      let size = heights[index] * capital
      base += size
      drawText(
        line, at: PicturePoint(x: left + paddingX * capital, y: base), capital: size, index == 0 ? .white : .silver)
      base += leading * capital
    }
  }

  /// Of a line's capitals, beside those of the first.
  private static func size(ofLine index: Int) -> Float { index == 0 ? 1 : 0.78 }

  private func place(
    _ place: CaptionPlace, _ labelWidth: Float, _ labelHeight: Float, _ margin: Float
  ) -> PicturePoint {
    switch place {
    case .bottomLeft: return PicturePoint(x: margin, y: Float(height) - margin - labelHeight)
    case .beside(let box):
      let limit = Float(2 * Self.sideLimit)
      guard [box.x, box.y, box.width, box.height].allSatisfy({ abs($0) <= limit }) else {
        return PicturePoint(x: margin, y: margin)
      }
      let below = box.y + box.height + margin
      let hasRoom = below + labelHeight + margin <= Float(height)
      return PicturePoint(
        x: box.x + (box.width - labelWidth) / 2, y: hasRoom ? below : box.y - margin - labelHeight)
    }
  }
}
