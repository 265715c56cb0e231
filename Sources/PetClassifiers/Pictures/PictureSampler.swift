// SPDX-License-Identifier: Apache-2.0
/// Cuts turned squares out of pictures as models take them.
///
/// Does what MediaPipe's ImageToTensorCalculator does on a processor (OpenCV's warpPerspective, bilinear): pixel (i, j) of
/// the result is seen at (i, j) / size of the square, a source pixel lies at its whole-number coordinates, places are
/// rounded to 1/32 of a pixel, and results to whole numbers.
package struct PictureSampler {
  /// What is seen beside the picture.
  package enum Border {
    case black
    /// The nearest pixel.
    case edge
  }

  /// Pixels of a side of the result.
  package let size: Int
  /// What 0 and 255 become.
  package let range: ClosedRange<Float>
  package let border: Border

  package init(size: Int, range: ClosedRange<Float>, border: Border) {
    self.size = size
    self.range = range
    self.border = border
  }

  /// [size, size, 3]. O(size^2).
  package func color(_ picture: Picture, _ region: PictureRegion) -> [Float] {
    let levels = levels
    return [Float](unsafeUninitializedCapacity: size * size * 3) { values, count in
      levels.withUnsafeBufferPointer { levels in
        var place = 0
        forEachPixel(picture, region) { red, green, blue in
          values[place] = levels[red]
          values[place + 1] = levels[green]
          values[place + 2] = levels[blue]
          place += 3
        }
        count = place
      }
    }
  }

  /// [size, size]: brightness as ITU-R BT.601 weighs it, rounded as OpenCV does. O(size^2).
  package func grey(_ picture: Picture, _ region: PictureRegion) -> [Float] {
    let levels = levels
    return [Float](unsafeUninitializedCapacity: size * size) { values, count in
      levels.withUnsafeBufferPointer { levels in
        var place = 0
        forEachPixel(picture, region) { red, green, blue in
          values[place] = levels[(4899 * red + 9617 * green + 1868 * blue + 8192) >> 14]
          place += 1
        }
        count = place
      }
    }
  }

  /// [256]: what each level of brightness becomes.
  private var levels: [Float] {
    let (low, high) = (range.lowerBound, range.upperBound)
    return (0..<256).map { min(max(Float($0) * ((high - low) / 255) + low, low), high) }
  }

  /// Gives red, green, blue (0 to 255) of every pixel of the result, row by row.
  @inline(__always)
  private func forEachPixel(_ picture: Picture, _ region: PictureRegion, _ body: (Int, Int, Int) -> Void) {
    let one = 32.0  // a pixel, in the units of places
    let (origin, step) = (region.place(0, 0), region.side / Float(size))
    let (right, down) = (region.turned(step, 0), region.turned(0, step))
    // No place is negative, so that cutting off rounds down; a region is never farther away than this.
    let away = 1 << 20
    let (startX, startY) = (Double(origin.x) * one + 0.5, Double(origin.y) * one + 0.5)
    let (rightX, rightY) = (Double(right.x) * one, Double(right.y) * one)
    let (downX, downY) = (Double(down.x) * one, Double(down.y) * one)
    let (width, height) = (picture.width, picture.height)
    picture.pixels.withUnsafeBufferPointer { pixels in
      /// Where the pixel's three bytes are, nil where it is black.
      func place(_ x: Int, _ y: Int) -> Int? {
        switch border {
        case .black: x >= 0 && y >= 0 && x < width && y < height ? (y * width + x) * 3 : nil
        case .edge: (min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)) * 3
        }
      }
      @inline(__always) func level(_ place: Int, _ channel: Int) -> Int { Int(pixels[place + channel]) }
      for row in 0..<size {
        let (rowX, rowY) = (startX + Double(row) * downX, startY + Double(row) * downY)
        for column in 0..<size {
          let x = Int(rowX + Double(column) * rightX + Double(away * 32)) - away * 32
          let y = Int(rowY + Double(column) * rightY + Double(away * 32)) - away * 32
          let (i, j, u, v) = (x >> 5, y >> 5, x & 31, y & 31)
          let weights = ((32 - u) * (32 - v), u * (32 - v), (32 - u) * v, u * v)  // of 1024
          if i >= 0, j >= 0, i + 1 < width, j + 1 < height {
            let (a, c) = ((j * width + i) * 3, ((j + 1) * width + i) * 3)
            @inline(__always) func mean(_ channel: Int) -> Int {
              let upper = level(a, channel) &* weights.0 &+ level(a, channel + 3) &* weights.1
              return (upper &+ level(c, channel) &* weights.2 &+ level(c, channel + 3) &* weights.3 &+ 512) >> 10
            }
            body(mean(0), mean(1), mean(2))
          } else {
            let (a, b, c, d) = (place(i, j), place(i + 1, j), place(i, j + 1), place(i + 1, j + 1))
            func mean(_ channel: Int) -> Int {
              func weighted(_ place: Int?, _ weight: Int) -> Int { place.map { level($0, channel) * weight } ?? 0 }
              return
                (weighted(a, weights.0) + weighted(b, weights.1) + weighted(c, weights.2) + weighted(d, weights.3)
                + 512) >> 10
            }
            body(mean(0), mean(1), mean(2))
          }
        }
      }
    }
  }
}
