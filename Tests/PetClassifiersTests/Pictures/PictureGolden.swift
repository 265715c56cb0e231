// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A small file and what Pillow decodes it to; `make_picture_goldens.py` made it.
struct PictureGolden: Decodable, Sendable, CustomStringConvertible {
  let name: String
  let file: Data
  let width: Int
  let height: Int
  let pixels: Data

  var bytes: [UInt8] { Array(file) }
  var description: String { name }

  static let all: [PictureGolden] = {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Goldens/pictures.json")
    return (try? JSONDecoder().decode([PictureGolden].self, from: Data(contentsOf: url))) ?? []
  }()

  static func named(_ name: String) -> [UInt8] { all.first { $0.name == name }?.bytes ?? [] }
}
