// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

import PetClassifiers

/// What MediaPipe's graphs, LiteRT and Keras answered for views of pictures; `make_pipeline_goldens.py` made it.
struct PipelineGolden: Decodable {
  struct View: Decodable, Sendable {
    let picture: String
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    /// In hundredths.
    let scale: Int
    let turns: Int
    let isFlipped: Bool
    let gain: Int
  }

  struct Pose: Decodable {
    /// [33, 3], in pixels of the view.
    let landmarks: [Float]
    let visibility: [Float]
    /// [33, 3], in metres.
    let world: [Float]
    /// x and y of the middle, side, rotation; none in a film.
    let region: [Float]?
  }

  struct Expression: Decodable {
    /// x, y, width, height
    let box: [Float]
    /// [39, 2]: every twelfth point.
    let mesh: [Float]
    /// x and y of the middle, side, rotation of what was judged.
    let square: [Float]
    let high: [Float]
    let medium: [Float]

    enum CodingKeys: String, CodingKey {
      case box, mesh, square
      case high = "expression-high"
      case medium = "expression-medium"
    }
  }

  struct Case: Decodable {
    let view: View
    let pose: Pose?
    let expression: Expression?
  }

  struct Frame: Decodable {
    let view: View
    let pose: Pose
  }

  let cases: [Case]
  let film: [Frame]

  static func read() throws -> PipelineGolden {
    try JSONDecoder().decode(PipelineGolden.self, from: GraphFixtures.data("pipelines.json"))
  }
}

extension Picture {
  /// A view, by whole-number arithmetic as `views.py` does it.
  init(_ view: PipelineGolden.View) throws {
    let base = try Pixmap(named: view.picture)
    let (height, width) = (view.height * view.scale / 100, view.width * view.scale / 100)
    var bytes: [UInt8] = []
    for row in 0..<height {
      for column in 0..<width {
        let sourceColumn = view.isFlipped ? width - 1 - column : column
        let y = view.y + (2 * row + 1) * view.height / (2 * height)
        let x = view.x + (2 * sourceColumn + 1) * view.width / (2 * width)
        for channel in 0..<3 {
          bytes.append(UInt8(min(Int(base.pixels[(y * base.width + x) * 3 + channel]) * view.gain / 256, 255)))
        }
      }
    }
    let picture = try Picture(width: width, height: height, rgb: bytes)
    self = (0..<view.turns).reduce(picture) { turned, _ in turned.turned(.turnedLeft) }
  }

  /// A public domain portrait, [256, 256, 3].
  static func astronaut() throws -> Picture {
    try Picture(
      PipelineGolden.View(
        picture: "astronaut", x: 0, y: 0, width: 256, height: 256, scale: 100, turns: 0, isFlipped: false, gain: 256))
  }
}
