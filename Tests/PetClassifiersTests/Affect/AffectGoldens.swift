// SPDX-License-Identifier: Apache-2.0
import Foundation

import PetClassifiers
import PetInference

/// What others measured in the clips: `Goldens/make_affect_goldens.py`.
struct AffectGolden: Decodable {
  /// Of each 32 ms.
  let speech: [Float]
  /// Of each 10 ms; nil where voiceless.
  let pitch: [Float?]
  let energy: [Float]
  let centroid: [Float]
  let tilt: [Float]
  /// Frames at which a syllable swells, voiced or not.
  let syllables: [Int]
  let jitter: Float
  let shimmer: Float
}

enum AffectGoldens {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Goldens")

  static let all: [String: AffectGolden] = load()
  static let names = all.keys.sorted()

  private static func load() -> [String: AffectGolden] {
    do {
      return try JSONDecoder().decode(
        [String: AffectGolden].self, from: Data(contentsOf: folder.appendingPathComponent("affect.json")))
    } catch {
      fatalError("affect.json: \(error)")
    }
  }

  /// The bytes of a clip's file.
  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent("affect/\(name).wav")))
  }

  static func sound(_ name: String) throws -> Waveform { try Waveform(wav: try bytes(name)) }

  /// The weights that are part of the project.
  static func weights() throws -> GGUFWeights {
    try GGUFWeights(
      GGUFFile(
        path: folder.appendingPathComponent("../../../Models/classifiers/vocal-affect.gguf").standardizedFileURL.path))
  }
}
