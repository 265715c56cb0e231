// SPDX-License-Identifier: Apache-2.0
/// Cuts a stream of PNG and JPEG pictures, one behind the other as `ffmpeg -f image2pipe` writes them, into files. A picture that was
/// cut ends where another begins, so that it takes no other along.
package struct PictureSequence: Sendable {
  /// Bytes of a file; larger ones are refused before they are read.
  package static let fileLimit = 32 << 20

  private var bytes: [UInt8] = []
  /// How far the picture that begins here was looked through.
  private var place = 0
  /// Where its last part begins.
  private var part = 0
  private var isInScan = false
  /// How far another picture was looked for.
  private var searched = 0
  private var isFinished = false

  package init() {}

  /// What was added and is no whole picture yet.
  package var rest: [UInt8] { bytes }

  package mutating func add(_ piece: [UInt8]) { bytes += piece }

  /// Nothing more is added: what is left is cut into files as it is.
  package mutating func finish() { isFinished = true }

  /// The next file, whole or cut; nil where more has to be added, or nothing is left. O(bytes) for all calls together.
  /// - Throws: `invalidInput` where no picture begins, or one is too large. What follows cannot be told apart then.
  package mutating func next() throws(ClassifierError) -> [UInt8]? {
    guard let end = try end() else {
      guard bytes.count <= Self.fileLimit else {
        throw .invalidInput("a picture of more than \(Self.fileLimit >> 20) MiB")
      }
      return nil
    }
    defer {
      bytes.removeFirst(end)
      (place, part, searched, isInScan) = (0, 0, 0, false)
    }
    return Array(bytes[..<end])
  }

  private mutating func end() throws(ClassifierError) -> Int? {
    guard bytes.count >= PNGChunks.signature.count else { return isFinished && !bytes.isEmpty ? bytes.count : nil }
    if bytes.starts(with: PNGChunks.signature) { return endOfPNG() }
    guard isStartOfJPEG(at: 0) else {
      throw .invalidInput("neither a PNG nor a JPEG picture begins where one should")
    }
    return endOfJPEG()
  }

  private mutating func endOfPNG() -> Int? {
    place = max(place, PNGChunks.signature.count)
    while bytes.count - place >= 12 {
      part = place
      let length = number(at: place)
      let name = bytes[place + 4..<place + 8]
      // Names are letters: PNG Specification, third edition, 5.4.
      guard length <= Self.fileLimit, name.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) else { return endOfCut() }
      let end = place + 12 + length
      guard end <= bytes.count else { break }
      // Where the sum is another, the chunk may have been cut and hold the start of the next picture.
      if CRC32.sum(bytes[place + 4..<end - 4]) != UInt32(number(at: end - 4)) {
        let last = end + PNGChunks.signature.count - 1
        guard last <= bytes.count || isFinished else { break }
        if let cut = nextStart(before: min(last, bytes.count)) { return cut }
      }
      place = end
      if name.elementsEqual("IEND".utf8) { return place }
    }
    return isFinished ? endOfCut() : nil
  }

  /// Markers: ITU-T T.81, table B.1. Within a scan, FF 00 is data, and FF D0 to FF D7 restart it.
  private mutating func endOfJPEG() -> Int? {
    place = max(place, 2)
    while bytes.count - place >= 2 {
      guard bytes[place] == 0xFF else {
        guard isInScan else { return endOfCut() }
        let marker = bytes[place...].firstIndex(of: 0xFF)
        // A PNG picture may begin in it.
        if let png = startOfPNG(in: place..<(marker ?? bytes.count)) { return png }
        place = marker ?? max(place, bytes.count - PNGChunks.signature.count + 1)
        if marker == nil { break }
        continue
      }
      switch bytes[place + 1] {
      case 0xD9: return place + 2
      // The start of another.
      case 0xD8: return place
      case 0xFF: place += 1
      case 0x00, 0x01, 0xD0...0xD7: place += 2
      case let marker:
        guard bytes.count - place >= 4 else { return isFinished ? bytes.count : nil }
        part = place
        place += 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
        isInScan = marker == 0xDA
      }
    }
    return isFinished ? endOfCut() : nil
  }

  /// Of a picture whose last part is broken: where the next begins, or all that is left.
  private mutating func endOfCut() -> Int? { nextStart(before: bytes.count) ?? (isFinished ? bytes.count : nil) }

  /// Where another picture begins, from the start of the last part on.
  private mutating func nextStart(before end: Int) -> Int? {
    var index = max(searched, part, 1)
    while end - index >= PNGChunks.signature.count {
      if startOfPNG(in: index..<index + PNGChunks.signature.count) != nil || isStartOfJPEG(at: index) { return index }
      index += 1
    }
    searched = index
    return nil
  }

  private func startOfPNG(in range: Range<Int>) -> Int? {
    let signature = PNGChunks.signature
    guard range.count >= signature.count else { return nil }
    for start in range.lowerBound...range.upperBound - signature.count
    where bytes[start] == signature[0] && bytes[start..<start + signature.count].elementsEqual(signature) {
      return start
    }
    return nil
  }

  /// The start of an image, and a marker of a segment behind it.
  private func isStartOfJPEG(at index: Int) -> Bool {
    bytes.count - index >= 4 && bytes[index] == 0xFF && bytes[index + 1] == 0xD8 && bytes[index + 2] == 0xFF
      && bytes[index + 3] >= 0xC0
  }

  private func number(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
}

/// The sum behind each chunk of a PNG picture: PNG Specification, third edition, annex D.
private enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : 0xEDB8_8320 ^ (sum >> 1) }
  }

  static func sum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ ($0 >> 8) }
  }
}
