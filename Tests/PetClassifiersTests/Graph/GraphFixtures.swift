// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetClassifiers
import PetInference

/// What is kept beside the tests: pictures, and what LiteRT and Keras answered for crops of them.
enum GraphFixtures {
  static let names = [
    "pose-detector", "pose-landmarks", "face-detector", "face-landmarks", "expression-high", "expression-medium",
  ]

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The shipped models.
  static let models = root.appending(path: "Models/classifiers")

  /// The models with weights as published, made by `make_graphs.py --unquantized`, where somebody made them.
  static let unquantizedModels = ProcessInfo.processInfo.environment["PET_UNQUANTIZED_GRAPHS"].map { URL(filePath: $0) }

  static func weights(_ name: String, in folder: URL = models) throws -> GGUFWeights {
    try GGUFWeights(GGUFFile(path: folder.appending(path: "\(name).gguf").path))
  }

  static func golden(_ name: String) throws -> Golden {
    try JSONDecoder().decode(Golden.self, from: data("\(name).json"))
  }

  static func data(_ file: String) throws -> Data {
    try Data(contentsOf: root.appending(path: "Tests/Fixtures/classifiers/\(file)"))
  }

  /// The shipped graph's input for a crop.
  static func input(_ crop: Golden.Crop, _ golden: Golden, for graph: Graph) throws -> [Float] {
    try Pixmap(named: crop.picture).input(crop, for: graph.inputs[0], isGrey: golden.isGrey)
  }
}

struct Golden: Decodable {
  struct Crop: Decodable {
    let picture: String
    let x: Int
    let y: Int
    let side: Int
    let isFlipped: Bool
    /// 256 leaves brightness as it is.
    let gain: Int
  }

  struct Answer: Decodable {
    let output: String
    /// Places in the output, all its parts one behind the other.
    let indices: [Int]
    let values: [Float]
  }

  let isGrey: Bool
  let crops: [Crop]
  let cases: [[Answer]]
}

/// A portable pixmap of 3 bytes per pixel.
struct Pixmap {
  let width: Int
  let pixels: [UInt8]

  init(named name: String) throws {
    let bytes = try Array(GraphFixtures.data("\(name).ppm"))
    let end = bytes.firstIndex(of: 0x0A) ?? 0
    let header = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    width = header.first ?? 0
    pixels = Array(bytes[(end + 1)...])
  }

  /// The nearest pixels of a crop, by whole-number arithmetic, as numbers in the range of an input [1, H, W, C].
  func input(_ crop: Golden.Crop, for input: Graph.Input, isGrey: Bool) -> [Float] {
    let (height, width, channels) = (input.shape.sizes[1], input.shape.sizes[2], input.shape.sizes[3])
    let (low, high) = (input.range.lowerBound, input.range.upperBound)
    var numbers: [Float] = []
    for row in 0..<height {
      for column in 0..<width {
        let sourceColumn = crop.isFlipped ? width - 1 - column : column
        let y = crop.y + (2 * row + 1) * crop.side / (2 * height)
        let x = crop.x + (2 * sourceColumn + 1) * crop.side / (2 * width)
        let pixel = (0..<3).map { min(Int(pixels[(y * self.width + x) * 3 + $0]) * crop.gain / 256, 255) }
        let grey = (299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000
        for channel in 0..<channels {
          numbers.append(Float(isGrey ? grey : pixel[channel]) / 255 * (high - low) + low)
        }
      }
    }
    return numbers
  }
}

extension Graph {
  /// Outputs by name; the parts NAME.0, NAME.1 ... of one are put together.
  func joined(_ results: [[Float]]) -> [String: [Float]] {
    var joined: [String: [Float]] = [:]
    for (output, numbers) in zip(outputs, results) {
      joined[String(output.name.prefix { $0 != "." }), default: []] += numbers
    }
    return joined
  }
}
