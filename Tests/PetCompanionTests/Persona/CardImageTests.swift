// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

import PetCompanion

@Suite("Character cards in pictures")
struct CardImageTests {
  /// A picture of one dot with a card of the name Io, made with Python's zlib and struct.
  private static func picture() throws -> [UInt8] {
    let base64 = """
      iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAAfnRFWHRjaGFyYQBleUp6Y0dWaklqb2lZMmhoY21GZlkyRnlaRjkyTWlJc0luTnda\
      V05mZG1WeWMybHZiaUk2SWpJdU1DSXNJbVJoZEdFaU9uc2libUZ0WlNJNklrbHZJaXdpWlhoMFpXNXphVzl1Y3lJNmV5SjRJam94TGpVd2ZYMTnp\
      tb2YAAAADElEQVR4nGP438AAAAQBAYDFKhhdAAAAAElFTkSuQmCC
      """
    return Array(try #require(Data(base64Encoded: base64)))
  }

  @Test("the card in a picture is read, and one put in takes its place")
  func roundTrip() throws {
    let picture = try Self.picture()
    var card = try CharacterCard(png: picture)
    #expect(card.name == "Io")
    card.name = "Eo"
    let written = try card.png(in: picture)
    #expect(try CharacterCard(png: written).json == card.json)
    #expect(try card.png(in: written) == written)
    // All other chunks are as they were.
    func others(_ file: [UInt8]) throws -> [[UInt8]] {
      try PNGChunks(file).chunks.filter { !$0.isOf("tEXt") }.map { Array($0.data) }
    }
    #expect(try others(written) == others(picture))
    #expect(try PersonaCatalog.read(written).persona.name == "Eo")
  }

  @Test("the checksum is that of the standard")
  func checksum() {
    #expect(Array("123456789".utf8).withUnsafeBytes(CRC32.of) == 0xCBF4_3926)
  }

  @Test("a picture that is cut off or has any wrong byte is refused")
  func damaged() throws {
    let picture = try Self.picture()
    for length in 0..<picture.count {
      #expect(throws: PersonaError.self, "\(length) bytes") { try CharacterCard(png: Array(picture[..<length])) }
    }
    for offset in picture.indices {
      for bit in 0..<8 {
        var damaged = picture
        damaged[offset] ^= 1 << bit
        #expect(throws: PersonaError.self, "bit \(bit) of byte \(offset)") { try CharacterCard(png: damaged) }
      }
    }
    #expect(throws: PersonaError.image(offset: picture.count, problem: "bytes after the end of the picture")) {
      try CharacterCard(png: picture + [0])
    }
  }

  @Test("lengths past the end, two cards, no card and wrong base64 are refused")
  func hostile() throws {
    let picture = try Self.picture()
    var long = picture
    long.replaceSubrange(33..<37, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(throws: PersonaError.image(offset: 33, problem: "a chunk reaches past the end")) {
      try CharacterCard(png: long)
    }
    let chunks = try PNGChunks(picture).chunks
    func file(_ texts: [[UInt8]]) -> [UInt8] {
      let header = picture[..<33]
      return header + texts.flatMap { PNGChunks.written("tEXt", $0) } + picture[chunks[2].offset...]
    }
    let card = Array(chunks[1].data)
    #expect(try CharacterCard(png: file([card])).name == "Io")
    #expect(throws: PersonaError.image(offset: 33 + 12 + card.count, problem: "a second card")) {
      try CharacterCard(png: file([card, card]))
    }
    #expect(throws: PersonaError.self) { try CharacterCard(png: file([])) }
    #expect(throws: PersonaError.image(offset: 33, problem: "the card is not base64")) {
      try CharacterCard(png: file([Array("chara\0*".utf8)]))
    }
    #expect(throws: PersonaError.tooLarge("bytes", limit: 1 << 20)) {
      try CharacterCard(png: file([Array("chara\0".utf8) + [UInt8](repeating: 0x41, count: 1_400_000)]))
    }
    #expect(throws: PersonaError.syntax(line: 1, column: 1, problem: "the text is not UTF-8")) {
      try CharacterCard(png: file([Array("chara\0////".utf8)]))
    }
  }
}
