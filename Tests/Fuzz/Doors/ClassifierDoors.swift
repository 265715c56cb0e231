// SPDX-License-Identifier: Apache-2.0
import PetClassifiers
import PetInference

/// Sounds, pictures, tables of moods, and the graphs that look at them.
enum ClassifierDoors {
  static func wav(_ bytes: [UInt8]) throws {
    let sound = try bytes.withUnsafeBytes { try Waveform(wav: $0.bytes) }
    precondition(sound.samples.allSatisfy { $0.isFinite } && !sound.samples.isEmpty)
  }

  static func picture(_ bytes: [UInt8]) throws {
    let picture = try Picture(bytes)
    precondition(picture.pixels.count == picture.width * picture.height * 3)
    guard picture.pixels.count < 1 << 16 else { return }
    let again = try Picture(picture.png())
    precondition(again == picture, "a picture is not what was written")
  }

  private static let classifier: StressClassifier = {
    do {
      let file = try GGUFFile(path: SeedFiles.folder + "/../../Models/parent-stress/parent-stress.gguf")
      let definition = try file.require("stress.definition", file.string("stress.definition"))
      return try StressClassifier(definition: definition, tensors: GGUFWeights(file))
    } catch {
      fatalError("\(error)")
    }
  }()

  /// JSON where it begins as JSON, else a table.
  static func stress(_ bytes: [UInt8]) throws {
    let isJSON = bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[")
    let signals = try isJSON ? StressSignals(json: bytes) : StressSignals(csv: bytes)
    _ = try classifier.assess(signals)
  }

  /// Constants of any name and length.
  private struct Constants: TensorSource {
    func floats(_ name: String, count: Int) throws(ClassifierError) -> [Float] {
      guard count <= 1 << 16 else { throw .invalidModel("more constants than are wanted here") }
      return (0..<count).map { Float($0 % 7) / 8 - 0.25 }
    }
  }

  /// The checked graph gives what its definition says, on XNNPACK as one operation after another.
  static func graph(_ bytes: [UInt8]) throws {
    let graph = try Graph(json: bytes)
    let sizes = graph.inputs.map(\.shape.count) + graph.outputs.map(\.shape.count) + graph.nodes.map(\.shape.count)
    guard graph.operationCount < 1 << 20, sizes.reduce(0, +) < 1 << 18 else { return }
    let executor = try GraphExecutor(graph, constants: Constants())
    let inputs = graph.inputs.map { input in
      (0..<input.shape.count).map { min(max(Float($0 % 5) / 4 - 0.5, input.range.lowerBound), input.range.upperBound) }
    }
    let found = try executor.run(inputs)
    let expected = try ReferenceInterpreter(graph, constants: Constants()).run(inputs)
    for (found, expected) in zip(found, expected) {
      precondition(found.count == expected.count)
      for (found, expected) in zip(found, expected) where expected.isFinite {
        precondition(abs(found - expected) <= 1e-3 + 1e-3 * abs(expected), "\(found) is not \(expected)")
      }
    }
  }
}
