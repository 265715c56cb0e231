// SPDX-License-Identifier: Apache-2.0
extension Picture {
  /// Decodes a PNG or JPEG file: 8-bit sRGB, upright as its EXIF orientation says, on white where it is transparent.
  ///
  /// Its kind is told by its first bytes. The size is read and checked before memory is taken: 3 bytes per pixel, and 9
  /// while a progressive JPEG is decoded.
  /// - Parameter pixelLimit: of the largest picture that is decoded.
  /// - Throws: `invalidInput` where the bytes are another format, damaged, not complete, larger than that, in
  ///   ink (CMYK), or followed by something that is no part of a picture.
  /// - Complexity: O(bytes + pixels).
  public init(_ file: [UInt8], pixelLimit: Int = Picture.pixelLimit) throws(ClassifierError) {
    guard !file.isEmpty else { throw .invalidInput("the picture has no bytes") }
    if file.starts(with: PNGChunks.signature) {
      self = try Picture(png: file, pixelLimit: pixelLimit)
    } else if file.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = try Picture(jpeg: file, pixelLimit: pixelLimit)
    } else {
      throw .invalidInput("the picture is neither PNG nor JPEG: it begins with \(Self.described(file.prefix(4)))")
    }
  }

  private static func described(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined(separator: " ")
  }
}
