// SPDX-License-Identifier: Apache-2.0
import CJPEG

extension Picture {
  /// Passes over a progressive picture; encoders make some ten, and each costs as much time as the picture is large.
  private static let scanLimit: Int32 = 100

  package init(jpeg file: [UInt8], pixelLimit: Int) throws(ClassifierError) {
    var size = cjpeg_size()
    try Self.jpeg { cjpeg_read_size(file, file.count, &size, $0) }
    guard size.components == 1 || size.components == 3 else {
      throw .invalidInput("the JPEG picture has \(size.components) components; grey and colour can be used, not CMYK")
    }
    var rest = 0
    let stored = try Picture(width: Int(size.width), height: Int(size.height), pixelLimit: pixelLimit) {
      rgb throws(ClassifierError) in
      try Self.jpeg { cjpeg_decode(file, file.count, size, Self.scanLimit, rgb, &rest, $0) }
    }
    guard JPEGSegments.isAppendix(file.suffix(rest)) else {
      throw .invalidInput("\(rest) bytes that are no picture stand behind the end of the JPEG picture")
    }
    self = stored.turned(JPEGSegments.exif(file).flatMap { PictureOrientation(exif: file[$0]) } ?? .upright)
  }

  private static func jpeg(_ call: (UnsafeMutablePointer<CChar>) -> Int32) throws(ClassifierError) {
    var reason = [CChar](repeating: 0, count: Int(CJPEG_REASON_SIZE))
    guard call(&reason) == 1 else { throw .invalidInput("the JPEG picture is damaged: \(text(reason))") }
  }
}
