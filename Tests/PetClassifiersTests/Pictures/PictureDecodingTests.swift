// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import SeededGenerator
import Testing

import PetClassifiers

struct PictureDecodingTests {
  @Test(arguments: PictureGolden.all.filter { $0.name != "jpeg ink" })
  func `files are decoded to what the reference sees`(golden: PictureGolden) throws {
    let picture = try Picture(golden.bytes)
    #expect([picture.width, picture.height] == [golden.width, golden.height])
    // PNG says exactly what is meant; libpng rounds where it puts it on white, and JPEG is computed differently anywhere.
    let tolerance = golden.name.hasPrefix("png") && golden.name != "png alpha" ? 0 : 3
    let differences = zip(picture.pixels, golden.pixels).map { abs(Int($0) - Int($1)) }
    #expect(differences.count == picture.width * picture.height * 3)
    #expect(differences.allSatisfy { $0 <= tolerance }, "\(differences.max() ?? 0)")
  }

  @Test func `there are goldens`() { #expect(PictureGolden.all.count == 20) }

  @Test func `a picture that was encoded is decoded to itself`() throws {
    let picture = try Picture.astronaut()
    #expect(try Picture(picture.png()) == picture)
    let point = try Picture(width: 1, height: 1, rgb: [1, 2, 3])
    #expect(try Picture(point.png()) == point)
  }

  @Test func `raw frames are as large as they say`() {
    #expect(throws: ClassifierError.invalidInput("5 bytes instead of 1 x 2 x 3")) {
      try Picture(width: 1, height: 2, rgb: [0, 0, 0, 0, 0])
    }
    for (width, height) in [(0, 0), (-1, 5), (5, 0), (Int.max, Int.max), (1, 16_385), (16_384, 16_384)] {
      #expect(throws: ClassifierError.self) { try Picture(width: width, height: height, rgb: []) }
    }
  }

  @Test(arguments: PictureOrientation.allCases)
  func `turning moves every pixel to a place of its own`(orientation: PictureOrientation) throws {
    let picture = try Picture(width: 3, height: 2, rgb: (0..<18).map { UInt8($0) })
    let turned = picture.turned(orientation)
    #expect(Set(turned.pixels) == Set(picture.pixels))
    #expect((turned.width == 2) == orientation.swapsSides)
  }
}

/// Files that are broken, or made to do harm.
struct HostilePictureTests {
  private static func reason(_ file: [UInt8]) -> String? {
    do {
      _ = try Picture(file)
      return nil
    } catch {
      guard case .invalidInput(let reason) = error else { return "another error: \(error)" }
      return reason
    }
  }

  @Test func `what is no picture is refused by its first bytes`() {
    #expect(Self.reason([]) == "the picture has no bytes")
    for file in ["GIF89a", "%PDF-1.7", "<svg>", "RIFF....WEBP", "P"] {
      #expect(Self.reason(Array(file.utf8))?.contains("neither PNG nor JPEG") == true)
    }
  }

  @Test(arguments: ["png rgb", "png palette", "jpeg", "jpeg progressive"])
  func `a file that ends early is refused wherever it ends`(name: String) {
    let file = PictureGolden.named(name)
    #expect(Self.reason(file) == nil)
    for count in 0..<file.count - 1 {
      #expect(Self.reason(Array(file.prefix(count))) != nil, "\(count) of \(file.count) bytes")
    }
  }

  @Test(arguments: PictureGolden.all)
  func `changed bytes give a picture or a reason`(golden: PictureGolden) {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      var file = golden.bytes
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        file[Int.random(in: 0..<file.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      #expect(Self.reason(file)?.hasPrefix("another error") != true)
    }
  }

  @Test func `ink is refused`() {
    #expect(Self.reason(PictureGolden.named("jpeg ink"))?.contains("CMYK") == true)
  }

  /// A few bytes that say they are gigabytes.
  @Test func `sizes are checked before memory is taken`() throws {
    var png = PictureGolden.named("png rgb")
    png.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0])  // 65,536 x 65,536
    png.replaceSubrange(29..<33, with: Self.checksum(png[12..<29]))
    #expect(Self.reason(png)?.contains("65536 x 65536") == true)
    var jpeg = PictureGolden.named("jpeg")
    let frame = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
    jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xEA, 0x60, 0xEA, 0x60])
    #expect(Self.reason(jpeg)?.contains("60000 x 60000") == true)
    jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0, 0, 0, 0])
    #expect(Self.reason(jpeg) != nil)
  }

  /// In a process of its own: other tests take memory too.
  @Test func `texts that are larger than they look are not inflated`() async {
    await #expect(processExitsWith: .success) { try HostilePictureTests.decodeTexts() }
  }

  private static func decodeTexts() throws {
    let original = PictureGolden.named("png rgb")
    let picture = try Picture(original)
    let chunk = Array("zTXt".utf8) + [0x61, 0, 0] + longText()
    let text = bytes(UInt32(chunk.count - 4)) + chunk + checksum(chunk[...])
    // Behind IHDR.
    var file = original
    file.insert(contentsOf: repeatElement(text, count: 40).joined(), at: 33)
    let before = ResidentMemory.read().peak
    #expect(try Picture(file) == picture)
    let grown = ResidentMemory.read().peak - before
    #expect(before > 0 && grown < 60_000_000, "\(grown) bytes more")
  }

  /// 7.9 MB of the letter a in 50 KB, as zlib has it in its fixed codes: RFC 1951, 3.2.6.
  private static func longText() -> [UInt8] {
    let repetitions = 30_620
    // The last block; the letter; 258 more of what stands one byte before, again and again; the end.
    var bits: [UInt8] = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1]
    for _ in 0..<repetitions { bits += [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0] }
    bits += [0, 0, 0, 0, 0, 0, 0]
    var file: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: bits.count, by: 8) {
      file.append(bits[start..<min(start + 8, bits.count)].reversed().reduce(0) { $0 << 1 | $1 })
    }
    // Adler-32.
    let count = 1 + 258 * repetitions
    let sums = ((count + 97 * count * (count + 1) / 2) % 65_521, (1 + 97 * count) % 65_521)
    return file + bytes(UInt32(sums.0 << 16 | sums.1))
  }

  @Test func `what stands behind a picture is refused, but for what telephones put there`() {
    let archive = Array("PK\u{3}\u{4}....".utf8)
    #expect(Self.reason(PictureGolden.named("png rgb") + archive)?.contains("behind the end") == true)
    let jpeg = PictureGolden.named("jpeg")
    #expect(Self.reason(jpeg + archive)?.contains("behind the end") == true)
    #expect(Self.reason(jpeg + Array("<?php".utf8))?.contains("behind the end") == true)
    #expect(Self.reason(jpeg + jpeg) == nil)
    #expect(Self.reason(jpeg + [0, 0, 0]) == nil)
    #expect(Self.reason(jpeg + [0, 0, 0, 24] + Array("ftypmp42".utf8)) == nil)
  }

  /// Each scan of a progressive picture costs as much as the picture is large.
  @Test func `endless scans are refused`() {
    func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
      [0xFF, marker, 0, UInt8(content.count + 2)] + content
    }
    // Grey, 8 x 8. Each table has one code, 0, which says that nothing changes.
    var file: [UInt8] = [0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    file += segment(0xC2, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
    for table in [0x00, 0x10] as [UInt8] { file += segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 16)) }
    func scan(_ first: UInt8, bits: UInt8) -> [UInt8] { segment(0xDA, [1, 1, 0, first, first, bits]) + [0x7F] }
    func picture(_ scans: [UInt8]) -> [UInt8] { file + scans + [0xFF, 0xD9] }
    let fine = (1...63).map { scan($0, bits: 0x01) }
    let finer = (1...63).map { scan($0, bits: 0x10) }
    #expect(Self.reason(picture(scan(0, bits: 0) + fine.joined())) == nil)
    #expect(Self.reason(picture(scan(0, bits: 0) + (fine + finer).joined()))?.contains("too many scans") == true)
  }

  /// CRC-32, bit by bit.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var value: UInt32 = .max
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    return Self.bytes(~value)
  }

  private static func bytes(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
