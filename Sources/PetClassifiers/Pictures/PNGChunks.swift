// SPDX-License-Identifier: Apache-2.0
/// The chunks of a PNG file, by their lengths and names; what they hold is not looked at.
///
/// PNG Specification, third edition, 5.3 "Chunk layout": https://www.w3.org/TR/png-3/#5Chunk-layout
struct PNGChunks {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Bytes up to the end of the last chunk, IEND.
  let byteCount: Int
  /// Of the chunk eXIf, where there is one.
  let exif: Range<Int>?
  /// Of the signature and the chunks that decide pixels, in the order of the file; neighbours are one range.
  private let deciding: [Range<Int>]

  /// Those of the chunks that may be left out of a file which have a say in its pixels all the same.
  private static let decidingNames = ["tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD"]

  /// - Throws: `invalidInput` where the file ends before IEND.
  init(_ file: [UInt8]) throws(ClassifierError) {
    var place = Self.signature.count
    var exif: Range<Int>?
    var deciding = [0..<place]
    while file.count - place >= 12 {
      let length = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= file.count - place - 12 else { break }
      let name = file[place + 4..<place + 8]
      if name.elementsEqual("eXIf".utf8), exif == nil { exif = place + 8..<place + 8 + length }
      // Bit 5 of a name's first byte: the chunk may be left out.
      if file[place + 4] & 0x20 == 0 || Self.decidingNames.contains(where: { name.elementsEqual($0.utf8) }) {
        if let last = deciding.last, last.upperBound == place {
          deciding[deciding.count - 1] = last.lowerBound..<place + 12 + length
        } else {
          deciding.append(place..<place + 12 + length)
        }
      }
      place += 12 + length
      if name.elementsEqual("IEND".utf8) {
        byteCount = place
        self.exif = exif
        self.deciding = deciding
        return
      }
    }
    throw .invalidInput("the PNG picture ends too early")
  }

  /// The file without what says nothing of its pixels; the file itself where all of it does.
  func pixels(of file: [UInt8]) -> [UInt8] { deciding == [0..<file.count] ? file : deciding.flatMap { file[$0] } }
}
