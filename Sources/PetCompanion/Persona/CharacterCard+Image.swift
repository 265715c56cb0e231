// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Cards in pictures: the JSON in base64, in a `tEXt` chunk of a PNG file with the keyword `chara`, or `ccv3` for V3.
extension CharacterCard {
  /// Reads the card in a picture.
  /// - Parameter png: the whole file. Its picture is not decoded.
  /// - Throws: ``PersonaError/image(offset:problem:)``, and what ``init(json:)`` throws; lines and columns are those of the JSON.
  /// - Complexity: O(n) in the bytes.
  public init(png: [UInt8]) throws(PersonaError) {
    try self.init(json: try Self.json(in: png))
  }

  package static func json(in png: [UInt8]) throws(PersonaError) -> [UInt8] {
    var found: (data: ArraySlice<UInt8>, offset: Int)?
    let chunks = try PNGChunks(png).chunks
    // A card of V3 goes before the older form of it that stands beside it.
    for keyword in ["ccv3", "chara"] where found == nil {
      for chunk in chunks {
        guard let text = text(in: chunk, keyword: keyword) else { continue }
        // Two readers could take different ones.
        guard found == nil else { throw .image(offset: chunk.offset, problem: "a second card") }
        found = (text, chunk.offset)
      }
    }
    guard let found else { throw .image(offset: png.count, problem: "no character card in this picture") }
    guard found.data.count <= PersonaLimits.fileBytes / 3 * 4 + 4 else {
      throw .tooLarge("bytes", limit: PersonaLimits.fileBytes)
    }
    guard let json = Data(base64Encoded: Data(found.data)) else {
      throw .image(offset: found.offset, problem: "the card is not base64")
    }
    return Array(json)
  }

  /// A picture with this card in it. Cards that it held before go, those of V3 (`ccv3`) too: they would tell otherwise.
  /// - Parameter png: a PNG file.
  /// - Throws: ``PersonaError/image(offset:problem:)``
  public func png(in png: [UInt8]) throws(PersonaError) -> [UInt8] {
    var file = PNGChunks.signature
    for chunk in try PNGChunks(png).chunks
    where !["chara", "ccv3"].contains(where: { Self.text(in: chunk, keyword: $0) != nil }) {
      if chunk.isOf("IEND") {
        file += PNGChunks.written("tEXt", Array("chara\0".utf8) + Data(json).base64EncodedData())
      }
      file += png[chunk.offset..<chunk.data.endIndex + 4]
    }
    return file
  }

  private static func text(in chunk: PNGChunks.Chunk, keyword: String) -> ArraySlice<UInt8>? {
    let start = Array(keyword.utf8) + [0]
    return chunk.isOf("tEXt") && chunk.data.starts(with: start) ? chunk.data.dropFirst(start.count) : nil
  }
}
