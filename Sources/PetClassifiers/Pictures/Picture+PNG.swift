// SPDX-License-Identifier: Apache-2.0
import CPNG

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Picture {
  package init(png file: [UInt8], pixelLimit: Int) throws(ClassifierError) {
    let chunks = try PNGChunks(file)
    guard chunks.byteCount == file.count else {
      throw .invalidInput("\(file.count - chunks.byteCount) bytes stand behind the end of the PNG picture")
    }
    // libpng inflates and keeps all texts before it tells the size: a file of kilobytes would take gigabytes.
    let pixels = chunks.pixels(of: file)
    var size = cpng_size()
    try Self.png { cpng_read_size(pixels, pixels.count, &size, $0) }
    let stored = try Picture(width: Int(size.width), height: Int(size.height), pixelLimit: pixelLimit) {
      rgb throws(ClassifierError) in
      try Self.png { cpng_decode(pixels, pixels.count, size, rgb, $0) }
    }
    self = stored.turned(chunks.exif.flatMap { PictureOrientation(exif: file[$0]) } ?? .upright)
  }

  /// The picture as a PNG file.
  /// - Throws: `invalidInput` where there is no memory for it.
  /// - Complexity: O(pixels).
  package func png() throws(ClassifierError) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    let size = cpng_size(width: UInt32(width), height: UInt32(height))
    try Self.png { cpng_encode(pixels, size, &bytes, &count, $0) }
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  private static func png(_ call: (UnsafeMutablePointer<CChar>) -> Int32) throws(ClassifierError) {
    var reason = [CChar](repeating: 0, count: Int(CPNG_REASON_SIZE))
    guard call(&reason) == 1 else { throw .invalidInput("the PNG picture is damaged: \(Self.text(reason))") }
  }

  /// What a C function wrote, up to its zero.
  package static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
