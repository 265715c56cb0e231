// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetRuntime
import Testing

import PetClassifiers

struct ExpressionTests {
  private static func classifier(_ quality: ModelQuality) throws -> ExpressionClassifier {
    try ExpressionClassifier(
      detector: GraphFixtures.weights("face-detector"), landmarks: GraphFixtures.weights("face-landmarks"),
      expression: GraphFixtures.weights(quality == .high ? "expression-high" : "expression-medium"), quality: quality)
  }

  @Test(arguments: ModelQuality.allCases)
  func `a smile is one at every quality`(quality: ModelQuality) throws {
    let result = try Self.classifier(quality).classify(Picture.astronaut())
    let expression = try #require(result.expression)
    #expect(result.faces == 1 && expression.label == .happy)
    #expect(Set(expression.probabilities.keys) == Set(ExpressionLabel.labels(quality)))
    #expect(abs(expression.probabilities.values.reduce(0, +) - 1) < 1e-4)
    #expect(expression.mesh.count == (quality == .low ? 0 : 468))
    // Eyes are level, and the face is in the upper middle.
    #expect(abs(expression.region.rotation) < 0.2)
    #expect((90...140).contains(expression.region.center.x) && (40...75).contains(expression.region.center.y))
  }

  @Test(arguments: ModelQuality.allCases)
  func `no face is an answer`(quality: ModelQuality) throws {
    let classifier = try Self.classifier(quality)
    for side in [1, 7, 300] {
      let picture = try Picture(width: side, height: side, rgb: [UInt8](repeating: 128, count: side * side * 3))
      #expect(try classifier.classify(picture) == ExpressionResult(expression: nil, faces: 0))
    }
    let strip = try Picture(width: 16_384, height: 1, rgb: [UInt8](repeating: 200, count: 16_384 * 3))
    #expect(try classifier.classify(strip).expression == nil)
  }

  @Test func `labels are merged to 7, 5 and 3`() {
    for (quality, count) in [(ModelQuality.high, 7), (.medium, 5), (.low, 3)] {
      let labels = ExpressionLabel.labels(quality)
      #expect(labels.count == count)
      #expect(Set(ExpressionLabel.labels(.high).map { $0.merged(quality) }) == Set(labels))
    }
  }

  @Test func `the order of a dictionary does not change a probability`() throws {
    let model = try ExpressionModel(GraphFixtures.weights("expression-high"), quality: .high, threads: 1)
    let values: [Float] = [0.31, 0.17, 0.23, 0.11, 0.07, 0.06, 0.05]
    // Each is kept, as the order depends on where a dictionary lies in memory.
    let dictionaries = (0..<32).map { index -> [ExpressionLabel: Float] in
      var probabilities = [ExpressionLabel: Float](minimumCapacity: 8 * (index + 1))
      for (label, value) in zip(ExpressionLabel.labels(.high), values) { probabilities[label] = value }
      return probabilities
    }
    let calibrated = dictionaries.map { model.calibrated($0).mapValues(\.bitPattern) }
    #expect(Set(calibrated).count == 1)
    #expect(calibrated[0].count == values.count)
  }

  @Test func `graphs that are others are refused`() throws {
    let (detector, mesh) = (try GraphFixtures.weights("face-detector"), try GraphFixtures.weights("face-landmarks"))
    let expression = try GraphFixtures.weights("expression-high")
    #expect(throws: ClassifierError.self) {
      try ExpressionClassifier(detector: mesh, landmarks: mesh, expression: expression)
    }
    #expect(throws: ClassifierError.self) {
      try ExpressionClassifier(detector: detector, landmarks: detector, expression: expression)
    }
    #expect(throws: ClassifierError.self) {
      try ExpressionClassifier(detector: detector, landmarks: mesh, expression: expression, quality: .medium)
    }
    #expect(throws: ClassifierError.self) {
      try ExpressionClassifier(detector: detector, landmarks: nil, expression: expression)
    }
    #expect(throws: ClassifierError.self) { try PoseClassifier(detector: detector, landmarks: mesh) }
  }

  @Test func `results are JSON that says what they are`() throws {
    let picture = try Picture.astronaut()
    let text = try Self.json(Self.classifier(.low).classify(picture))
    for key in ["\"label\":\"happy\"", "\"confidence\":", "\"face_score\":", "\"distressed\":", "\"rotation\":"] {
      #expect(text.contains(key))
    }
    let classifier = try PoseClassifier(
      detector: GraphFixtures.weights("pose-detector"), landmarks: GraphFixtures.weights("pose-landmarks"))
    let pose = try Self.json(classifier.classify(picture))
    for key in ["\"is_tracked\":false", "\"left_eye_inner\"", "\"raised_arms\":", "\"world\":", "\"people\":1"] {
      #expect(pose.contains(key))
    }
    let nobody = PoseResult(pose: nil, cues: nil, people: 0, isTracked: false)
    #expect(try Self.json(nobody) == #"{"cues":null,"is_tracked":false,"people":0,"pose":null}"#)
  }

  private static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
