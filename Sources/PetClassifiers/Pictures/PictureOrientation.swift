// SPDX-License-Identifier: Apache-2.0
/// How a stored picture is to be turned so that it stands upright; numbers of the EXIF tag Orientation (CIPA DC-008, 4.6.5).
package enum PictureOrientation: Int, CaseIterable {
  case upright = 1
  case mirrored, halfTurned, flipped, transposed, turnedRight, transversed, turnedLeft

  /// - Parameter exif: a TIFF structure. Nil where it is damaged or says nothing: the picture is shown as it is stored.
  package init?(exif: ArraySlice<UInt8>) {
    let isLittle = exif.starts(with: [0x49, 0x49, 0x2A, 0x00])
    guard isLittle || exif.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) else { return nil }
    // A number of `count` bytes at a place that is counted from the start of the structure.
    func number(_ place: Int, _ count: Int) -> Int? {
      guard place <= exif.count - count else { return nil }
      let bytes = exif[exif.startIndex + place..<exif.startIndex + place + count]
      return (isLittle ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let directory = number(4, 4), let entries = number(directory, 2) else { return nil }
    for entry in 0..<entries {
      let place = directory + 2 + 12 * entry
      guard let tag = number(place, 2), let type = number(place + 2, 2), let value = number(place + 8, 2) else {
        return nil
      }
      guard tag == 0x0112, type == 3 else { continue }
      self.init(rawValue: value)
      return
    }
    return nil
  }

  /// Whether width becomes height.
  package var swapsSides: Bool { rawValue >= PictureOrientation.transposed.rawValue }

  /// Where in a stored picture the upright picture's pixel (x, y) lies.
  func source(_ x: Int, _ y: Int, storedWidth width: Int, storedHeight height: Int) -> (x: Int, y: Int) {
    switch self {
    case .upright: (x, y)
    case .mirrored: (width - 1 - x, y)
    case .halfTurned: (width - 1 - x, height - 1 - y)
    case .flipped: (x, height - 1 - y)
    case .transposed: (y, x)
    case .turnedRight: (y, height - 1 - x)
    case .transversed: (width - 1 - y, height - 1 - x)
    case .turnedLeft: (width - 1 - y, x)
    }
  }
}

extension Picture {
  /// The picture, upright. O(pixels), nothing where it is already.
  package func turned(_ orientation: PictureOrientation) -> Picture {
    guard orientation != .upright else { return self }
    let size = orientation.swapsSides ? (width: height, height: width) : (width: width, height: height)
    let turned = [UInt8](unsafeUninitializedCapacity: pixels.count) { bytes, count in
      pixels.withUnsafeBufferPointer { stored in
        var place = 0
        for y in 0..<size.height {
          for x in 0..<size.width {
            let source = orientation.source(x, y, storedWidth: width, storedHeight: height)
            let first = (source.y * width + source.x) * 3
            for channel in 0..<3 { bytes[place + channel] = stored[first + channel] }
            place += 3
          }
        }
      }
      count = pixels.count
    }
    return Picture(unchecked: turned, width: size.width, height: size.height)
  }

  private init(unchecked pixels: [UInt8], width: Int, height: Int) {
    self.pixels = pixels
    self.width = width
    self.height = height
  }
}
