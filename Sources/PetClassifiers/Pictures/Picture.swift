// SPDX-License-Identifier: Apache-2.0
/// A picture in memory: rows from the top, 3 bytes (red, green, blue; sRGB) per pixel.
public struct Picture: Sendable, Equatable {
  public let width: Int
  public let height: Int
  /// [height, width, 3]
  public internal(set) var pixels: [UInt8]

  /// Longest side.
  public static let sideLimit = 16_384
  /// 96 MiB of bytes.
  public static let pixelLimit = 1 << 25

  /// A frame as a camera gives it.
  /// - Parameter rgb: [height, width, 3]
  /// - Throws: `invalidInput` where the size is no picture's or the bytes are not as many as it has.
  public init(width: Int, height: Int, rgb: [UInt8]) throws(ClassifierError) {
    try Self.check(width: width, height: height)
    guard rgb.count == width * height * 3 else {
      throw .invalidInput("\(rgb.count) bytes instead of \(width) x \(height) x 3")
    }
    self.width = width
    self.height = height
    pixels = rgb
  }

  /// Whether there may be a picture of this size; memory for it is taken only after that.
  static func check(width: Int, height: Int, pixelLimit: Int = pixelLimit) throws(ClassifierError) {
    guard width > 0, height > 0 else { throw .invalidInput("a picture of \(width) x \(height) pixels") }
    guard max(width, height) <= sideLimit, width * height <= pixelLimit else {
      throw .invalidInput(
        "a picture of \(width) x \(height) pixels; at most \(sideLimit) a side and \(pixelLimit) together can be used")
    }
  }

  /// The file's picture, black, to be decoded into.
  package init(
    width: Int, height: Int, pixelLimit: Int, decode: (UnsafeMutablePointer<UInt8>) throws(ClassifierError) -> Void
  ) throws(ClassifierError) {
    try Self.check(width: width, height: height, pixelLimit: pixelLimit)
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    try pixels.withUnsafeMutableBufferPointer { (buffer) throws(ClassifierError) in
      if let base = buffer.baseAddress { try decode(base) }
    }
    self.width = width
    self.height = height
    self.pixels = pixels
  }
}

/// A place in a picture, in pixels from its top left corner.
public struct PicturePoint: Sendable, Equatable, Codable {
  public var x: Float
  public var y: Float

  public init(x: Float, y: Float) {
    self.x = x
    self.y = y
  }
}
