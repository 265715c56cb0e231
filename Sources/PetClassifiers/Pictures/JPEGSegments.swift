// SPDX-License-Identifier: Apache-2.0
/// The segments of a JPEG file before its first scan, as far as the camera's orientation stands in them.
///
/// ITU-T T.81, annex B: https://www.w3.org/Graphics/JPEG/itu-t81.pdf
enum JPEGSegments {
  /// Bytes of the TIFF structure in the first APP1 segment that says "Exif".
  static func exif(_ file: [UInt8]) -> Range<Int>? {
    let name = Array("Exif\0\0".utf8)
    var place = 2
    while file.count - place >= 4, file[place] == 0xFF {
      let marker = file[place + 1]
      guard marker != 0xFF else {  // fill
        place += 1
        continue
      }
      let length = Int(file[place + 2]) << 8 | Int(file[place + 3])
      guard marker != 0xDA, length >= 2, length <= file.count - place - 2 else { return nil }
      let content = place + 4..<place + 2 + length
      if marker == 0xE1, file[content].starts(with: name) {
        return content.lowerBound + name.count..<content.upperBound
      }
      place = content.upperBound
    }
    return nil
  }

  /// Whether bytes behind a picture's end belong to it: filling, a further picture (Multi-Picture Format, CIPA DC-007), or
  /// the film that telephones put there.
  static func isAppendix(_ rest: ArraySlice<UInt8>) -> Bool {
    rest.allSatisfy { $0 == 0 } || rest.starts(with: [0xFF, 0xD8, 0xFF])
      || rest.dropFirst(4).starts(with: Array("ftyp".utf8))
  }
}
