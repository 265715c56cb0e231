/// Cuts a stream of PNG and JPEG pictures, one behind the other as `ffmpeg -f image2pipe` writes them, into files.
public struct PictureSequence: Sendable {
  /// Bytes of a file; larger ones are refused before they are read.
  public static let fileLimit = 32 << 20

  private var bytes: [UInt8] = []
  /// How far the picture that begins here was looked through.
  private var place = 0
  private var isInScan = false

  public init() {}

  /// What was added and is no whole picture yet.
  public var rest: [UInt8] { bytes }

  public mutating func add(_ piece: [UInt8]) { bytes += piece }

  /// The next whole file; nil where more has to be added. O(bytes) for all calls together.
  /// - Throws: `invalidInput` where no picture begins, or one is too large. What follows cannot be told apart then.
  public mutating func next() throws(ClassifierError) -> [UInt8]? {
    guard let end = try end() else {
      guard bytes.count <= Self.fileLimit else {
        throw .invalidInput("a picture of more than \(Self.fileLimit >> 20) MiB")
      }
      return nil
    }
    defer {
      bytes.removeFirst(end)
      (place, isInScan) = (0, false)
    }
    return Array(bytes[..<end])
  }

  private mutating func end() throws(ClassifierError) -> Int? {
    guard bytes.count >= PNGChunks.signature.count else { return nil }
    if bytes.starts(with: PNGChunks.signature) { return endOfPNG() }
    guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else {
      throw .invalidInput("neither a PNG nor a JPEG picture begins where one should")
    }
    return try endOfJPEG()
  }

  private mutating func endOfPNG() -> Int? {
    place = max(place, PNGChunks.signature.count)
    while bytes.count - place >= 12 {
      let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= bytes.count - place - 12 else { return nil }
      let isLast = bytes[place + 4..<place + 8].elementsEqual("IEND".utf8)
      place += 12 + length
      if isLast { return place }
    }
    return nil
  }

  /// Markers: ITU-T T.81, table B.1. Within a scan, FF 00 is data, and FF D0 to FF D7 restart it.
  private mutating func endOfJPEG() throws(ClassifierError) -> Int? {
    place = max(place, 2)
    while bytes.count - place >= 2 {
      guard bytes[place] == 0xFF else {
        guard isInScan else { throw .invalidInput("the JPEG picture is damaged: a marker is missing") }
        place = bytes[place...].firstIndex(of: 0xFF) ?? bytes.count
        continue
      }
      switch bytes[place + 1] {
      case 0xD9: return place + 2
      case 0xFF: place += 1
      case 0x00, 0x01, 0xD0...0xD8: place += 2
      case let marker:
        guard bytes.count - place >= 4 else { return nil }
        place += 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
        isInScan = marker == 0xDA
      }
    }
    return nil
  }
}
