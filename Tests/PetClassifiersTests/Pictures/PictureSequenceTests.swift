// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

import PetClassifiers

@Suite struct PictureSequenceTests {
  private static let photo = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples/classify/photo.jpg")

  private func jpeg() throws -> [UInt8] { [UInt8](try Data(contentsOf: Self.photo)) }

  private func png() throws -> [UInt8] {
    try Picture(width: 40, height: 30, rgb: (0..<3600).map { UInt8(truncatingIfNeeded: $0 * 7) }).png()
  }

  /// All files that come of these bytes, given in pieces of `size`.
  private func files(_ bytes: [UInt8], size: Int, isAll: Bool = false) throws -> (files: [[UInt8]], rest: Int) {
    var sequence = PictureSequence()
    var files: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      sequence.add(Array(bytes[start..<min(start + size, bytes.count)]))
      while let file = try sequence.next() { files.append(file) }
    }
    if isAll {
      sequence.finish()
      while let file = try sequence.next() { files.append(file) }
    }
    return (files, sequence.rest.count)
  }

  @Test(arguments: [1 << 20, 4_096, 997])
  func picturesAreCutWhereTheyEnd(_ size: Int) throws {
    let (jpeg, png) = (try jpeg(), try png())
    let (found, rest) = try files(jpeg + png + png + jpeg, size: size)
    #expect(found == [jpeg, png, png, jpeg] && rest == 0)
    #expect(try Picture(found[0]).width == 512)
  }

  @Test func whatBreaksOffStays() throws {
    let png = try png()
    #expect(try files(png + png.dropLast(), size: 100) == ([png], png.count - 1))
    #expect(try files(Array(png.prefix(5)), size: 1) == ([], 5))
  }

  /// Cut in a header, in what is compressed, just before the end, and between two parts.
  @Test(arguments: [1 << 20, 997])
  func aPictureThatIsCutTakesNoOtherAlong(_ size: Int) throws {
    let (jpeg, png) = (try jpeg(), try png())
    // Behind the signature and the first chunk a part ends.
    let cuts = [
      (jpeg, [9, 60, jpeg.count / 2, jpeg.count - 2]), (png, [20, 33, png.count / 2, png.count - 3]),
    ]
    for (whole, places) in cuts {
      for place in places {
        let cut = Array(whole.prefix(place))
        for next in [jpeg, png] {
          let found = try files(png + cut + next + jpeg, size: size, isAll: true)
          #expect(found.files == [png, cut, next, jpeg] && found.rest == 0, "\(place) of \(whole.count)")
        }
      }
    }
    #expect(try files(jpeg + jpeg.prefix(900), size: size, isAll: true) == ([jpeg, Array(jpeg.prefix(900))], 0))
  }

  @Test func whatIsNoPictureIsRefused() throws {
    #expect(throws: ClassifierError.self) { try files(Array("no picture, but text".utf8), size: 8) }
    let broken: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 1, 1, 1, 1]
    #expect(try files(broken, size: 100, isAll: true) == ([broken], 0))
    let png = try png()
    #expect(throws: ClassifierError.self) { try files(png + Array("no picture, but text".utf8), size: 1_000) }
  }

  @Test func aPictureWithoutAnEndTakesNoMoreThanItsLimit() throws {
    var sequence = PictureSequence()
    var endless = try jpeg()
    endless.removeLast(2)
    sequence.add(endless)
    let piece = [UInt8](repeating: 1, count: 1 << 20)
    #expect(throws: ClassifierError.self) {
      for _ in 0..<64 {
        sequence.add(piece)
        _ = try sequence.next()
      }
    }
    #expect(sequence.rest.count <= PictureSequence.fileLimit + (1 << 20))
    // A length that is no length of any file.
    var liar = PictureSequence()
    let signature = Array(try png()[..<8])
    liar.add(signature + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8) + [0, 0, 0, 0])
    #expect(try liar.next() == nil)
  }
}
