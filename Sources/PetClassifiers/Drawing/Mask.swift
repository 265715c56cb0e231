// SPDX-License-Identifier: Apache-2.0
/// A shape with smooth edges: how much of each pixel of a picture it covers. Parts that overlap are one shape, so that a colour of which
/// something shines through does not lie twice on a place.
struct Mask {
  let width: Int
  let height: Int
  /// [height, width], 0 to 255.
  private(set) var coverage: [UInt8]
  /// The rows and columns that are covered at all.
  private(set) var rows = 0..<0
  private(set) var columns = 0..<0

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    coverage = [UInt8](repeating: 0, count: width * height)
  }

  /// Adds a line with round ends; a dot where both ends are one place. What lies outside is left out, and so is a place that is no number.
  /// - Complexity: O(pixels of the rectangle around it).
  mutating func add(_ start: PicturePoint, _ end: PicturePoint, radius: Float) {
    guard isNear(start), isNear(end), radius > 0, radius <= Float(Picture.sideLimit) else { return }
    let (x, y) = (end.x - start.x, end.y - start.y)
    let squared = x * x + y * y
    add(
      left: min(start.x, end.x) - radius, top: min(start.y, end.y) - radius, right: max(start.x, end.x) + radius,
      bottom: max(start.y, end.y) + radius
    ) { column, row in
      let (px, py) = (column - start.x, row - start.y)
      let part = squared > 0 ? min(max((px * x + py * y) / squared, 0), 1) : 0
      let (dx, dy) = (px - part * x, py - part * y)
      return (dx * dx + dy * dy).squareRoot() - radius
    }
  }

  mutating func add(_ chain: [PicturePoint], radius: Float, isClosed: Bool = false) {
    guard let first = chain.first, let last = chain.last else { return }
    if chain.count == 1 { return add(first, first, radius: radius) }
    for (start, end) in zip(chain, chain.dropFirst()) { add(start, end, radius: radius) }
    if isClosed { add(last, first, radius: radius) }
  }

  /// Adds a rectangle with round corners.
  mutating func add(left: Float, top: Float, width: Float, height: Float, corner: Float) {
    guard width > 0, height > 0, isNear(PicturePoint(x: left, y: top)),
      isNear(PicturePoint(x: left + width, y: top + height))
    else { return }
    let corner = min(corner, width / 2, height / 2)
    let (middleX, middleY) = (left + width / 2, top + height / 2)
    add(left: left, top: top, right: left + width, bottom: top + height) { column, row in
      let (x, y) = (abs(column - middleX) - width / 2 + corner, abs(row - middleY) - height / 2 + corner)
      let outside = (max(x, 0) * max(x, 0) + max(y, 0) * max(y, 0)).squareRoot()
      return outside + min(max(x, y), 0) - corner
    }
  }

  /// - Parameter distance: of the middle of a pixel from the edge, negative within.
  private mutating func add(
    left: Float, top: Float, right: Float, bottom: Float, _ distance: (_ column: Float, _ row: Float) -> Float
  ) {
    let columns = Self.pixels(left, right, width)
    let rows = Self.pixels(top, bottom, height)
    guard !columns.isEmpty, !rows.isEmpty else { return }
    self.columns = Self.union(self.columns, columns)
    self.rows = Self.union(self.rows, rows)
    for row in rows {
      for column in columns {
        let covered = min(max(0.5 - distance(Float(column), Float(row)), 0), 1)
        guard covered > 0 else { continue }
        let place = row * width + column
        coverage[place] = max(coverage[place], UInt8(covered * 255))
      }
    }
  }

  private static func pixels(_ low: Float, _ high: Float, _ count: Int) -> Range<Int> {
    let first = Int(min(max(low.rounded(.down) - 1, 0), Float(count)))
    return first..<max(first, Int(min(max(high.rounded(.up) + 2, 0), Float(count))))
  }

  private static func union(_ left: Range<Int>, _ right: Range<Int>) -> Range<Int> {
    left.isEmpty ? right : min(left.lowerBound, right.lowerBound)..<max(left.upperBound, right.upperBound)
  }

  /// Whether it is safe to compute with a place in whole numbers.
  private func isNear(_ point: PicturePoint) -> Bool {
    let limit = Float(2 * Picture.sideLimit)
    return abs(point.x) <= limit && abs(point.y) <= limit
  }
}

extension Picture {
  /// Lays a colour over the picture in the form of a mask.
  /// - Parameter opacity: 1 covers what is below, 0 shows it alone.
  mutating func fill(_ mask: Mask, _ color: PictureColor, opacity: Float = 1) {
    guard mask.width == width, mask.height == height else { return }
    let weight = Int(opacity * 256)
    let parts = [Int(color.red), Int(color.green), Int(color.blue)]
    for row in mask.rows {
      for column in mask.columns {
        let covered = Int(mask.coverage[row * width + column])
        guard covered > 0 else { continue }
        let place = (row * width + column) * 3
        for part in 0..<3 {
          let below = Int(pixels[place + part])
          pixels[place + part] = UInt8(below + (parts[part] - below) * covered * weight / (255 * 256))
        }
      }
    }
  }
}
