/// Cuts turned squares out of pictures as models take them.
///
/// Does what MediaPipe's ImageToTensorCalculator does on a processor (OpenCV's warpPerspective, bilinear): pixel (i, j) of
/// the result is seen at (i, j) / size of the square, and a source pixel lies at its whole-number coordinates.
struct PictureSampler {
  /// What is seen beside the picture.
  enum Border {
    case black
    /// The nearest pixel.
    case edge
  }

  /// Pixels of a side of the result.
  let size: Int
  /// What 0 and 255 become.
  let range: ClosedRange<Float>
  let border: Border

  /// [size, size, 3]. O(size^2).
  func color(_ picture: Picture, _ region: PictureRegion) -> [Float] {
    let (scale, low) = ((range.upperBound - range.lowerBound) / 255, range.lowerBound)
    return [Float](unsafeUninitializedCapacity: size * size * 3) { values, count in
      var place = 0
      forEachPixel(picture, region) { pixel in
        // Rounding must not leave the range.
        for channel in 0..<3 {
          values[place + channel] = min(max(pixel[channel] * scale + low, range.lowerBound), range.upperBound)
        }
        place += 3
      }
      count = place
    }
  }

  /// [size, size]: brightness as ITU-R BT.601 weighs it. O(size^2).
  func grey(_ picture: Picture, _ region: PictureRegion) -> [Float] {
    let (scale, low) = ((range.upperBound - range.lowerBound) / 255, range.lowerBound)
    return [Float](unsafeUninitializedCapacity: size * size) { values, count in
      var place = 0
      forEachPixel(picture, region) { pixel in
        let grey = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
        values[place] = min(max(grey * scale + low, range.lowerBound), range.upperBound)
        place += 1
      }
      count = place
    }
  }

  /// Gives red, green, blue (0 to 255) of every pixel of the result, row by row.
  @inline(__always)
  private func forEachPixel(_ picture: Picture, _ region: PictureRegion, _ body: (SIMD4<Float>) -> Void) {
    let origin = region.place(0, 0)
    let step = region.side / Float(size)
    let (right, down) = (region.turned(step, 0), region.turned(0, step))
    let (width, height) = (picture.width, picture.height)
    picture.pixels.withUnsafeBufferPointer { pixels in
      @inline(__always) func pixel(_ x: Int, _ y: Int) -> SIMD4<Float> {
        let place = (y * width + x) * 3
        return SIMD4(SIMD4(pixels[place], pixels[place + 1], pixels[place + 2], 0))
      }
      func bordered(_ x: Int, _ y: Int) -> SIMD4<Float> {
        switch border {
        case .black: x >= 0 && y >= 0 && x < width && y < height ? pixel(x, y) : .zero
        case .edge: pixel(min(max(x, 0), width - 1), min(max(y, 0), height - 1))
        }
      }
      for row in 0..<size {
        for column in 0..<size {
          let x = origin.x + Float(column) * right.x + Float(row) * down.x
          let y = origin.y + Float(column) * right.y + Float(row) * down.y
          let (left, top) = (x.rounded(.down), y.rounded(.down))
          let (i, j) = (Int(left), Int(top))  // a region is never so far away that this could overflow
          let (u, v) = (SIMD4(repeating: x - left), SIMD4(repeating: y - top))
          let (a, b, c, d): (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
          if i >= 0, j >= 0, i + 1 < width, j + 1 < height {
            (a, b, c, d) = (pixel(i, j), pixel(i + 1, j), pixel(i, j + 1), pixel(i + 1, j + 1))
          } else {
            (a, b, c, d) = (bordered(i, j), bordered(i + 1, j), bordered(i, j + 1), bordered(i + 1, j + 1))
          }
          let (upper, lower) = (a + (b - a) * u, c + (d - c) * u)
          body(upper + (lower - upper) * v)
        }
      }
    }
  }
}
