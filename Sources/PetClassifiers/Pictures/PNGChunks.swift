/// The chunks of a PNG file, by their lengths and names; what they hold is not looked at.
///
/// PNG Specification, third edition, 5.3 "Chunk layout": https://www.w3.org/TR/png-3/#5Chunk-layout
struct PNGChunks {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Bytes up to the end of the last chunk, IEND.
  let byteCount: Int
  /// Of the chunk eXIf, where there is one.
  let exif: Range<Int>?

  /// - Throws: `invalidInput` where the file ends before IEND.
  init(_ file: [UInt8]) throws(ClassifierError) {
    var place = Self.signature.count
    var exif: Range<Int>?
    while file.count - place >= 12 {
      let length = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= file.count - place - 12 else { break }
      let name = file[place + 4..<place + 8]
      if name.elementsEqual("eXIf".utf8), exif == nil { exif = place + 8..<place + 8 + length }
      place += 12 + length
      if name.elementsEqual("IEND".utf8) {
        byteCount = place
        self.exif = exif
        return
      }
    }
    throw .invalidInput("the PNG picture ends too early")
  }
}
