// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

import PetClassifiers

/// The whole of the pose pipeline against MediaPipe's own, on real pictures. Errors are in pixels of the 256 that the model
/// sees, of the joints that the reference sees in the picture.
struct PoseGoldenTests {
  private static func classifier(_ folder: URL = GraphFixtures.models) throws -> PoseClassifier {
    try PoseClassifier(
      detector: GraphFixtures.weights("pose-detector", in: folder),
      landmarks: GraphFixtures.weights("pose-landmarks", in: folder))
  }

  /// The mean of all pictures. Landmarks of the same square are half a pixel off; a pixel by which the detector, whose weights
  /// are rounded most, puts the square elsewhere can move joints by several, on half of a person most.
  @Test func `shipped weights are off by three pixels at most on average`() throws {
    let errors = try compare(Self.classifier())
    #expect(errors.map(\.pixels).mean <= 3)
    #expect(errors.allSatisfy { $0.pixels <= 6 })
    #expect(errors.map(\.metres).mean <= 0.05)
    #expect(errors.map(\.visibility).mean <= 0.08)
  }

  @Test(.enabled(if: GraphFixtures.unquantizedModels != nil))
  func `with weights as published every picture is within a pixel`() throws {
    for error in try compare(Self.classifier(#require(GraphFixtures.unquantizedModels))) {
      #expect(error.pixels <= 1)
      #expect(error.metres <= 0.01)
      #expect(error.visibility <= 0.01)
    }
  }

  /// Followed and smoothed, 30 frames a second.
  @Test func `a film gives what MediaPipe's tracking and smoothing give`() throws {
    let classifier = try Self.classifier()
    for (index, frame) in try PipelineGolden.read().film.enumerated() {
      let picture = try Picture(frame.view)
      let result = try classifier.follow(picture, at: Double(index) * 0.033333)
      let pose = try #require(result.pose)
      #expect(result.isTracked == (index > 0))
      #expect(Errors(pose, frame.pose, side: pose.region.side, in: picture).pixels <= 3, "frame \(index)")
    }
  }

  private func compare(_ classifier: PoseClassifier) throws -> [Errors] {
    let golden = try PipelineGolden.read()
    #expect(golden.cases.count >= 20)
    return try golden.cases.compactMap { expected in
      let picture = try Picture(expected.view)
      let result = try classifier.classify(picture)
      #expect((result.pose != nil) == (expected.pose != nil), "\(expected.view)")
      guard let pose = result.pose, let reference = expected.pose else { return nil }
      return Errors(pose, reference, side: try #require(reference.region)[2], in: picture)
    }
  }
}

/// Means of a picture.
private struct Errors {
  let pixels: Float
  let metres: Float
  let visibility: Float

  init(_ pose: Pose, _ reference: PipelineGolden.Pose, side: Float, in picture: Picture) {
    func distance(_ index: Int, _ x: Float, _ y: Float, _ places: [Float]) -> Float {
      let (x, y) = (x - places[3 * index], y - places[3 * index + 1])
      return (x * x + y * y).squareRoot()
    }
    let seen = pose.landmarks.indices.filter { index in
      let (x, y) = (reference.landmarks[3 * index], reference.landmarks[3 * index + 1])
      return reference.visibility[index] >= 0.5 && (0...Float(picture.width)).contains(x)
        && (0...Float(picture.height)).contains(y)
    }
    pixels =
      seen.map { distance($0, pose.landmarks[$0].x, pose.landmarks[$0].y, reference.landmarks) }.mean / side * 256
    metres = seen.map { distance($0, pose.landmarks[$0].world.x, pose.landmarks[$0].world.y, reference.world) }.mean
    visibility = zip(pose.landmarks, reference.visibility).map { abs($0.visibility - $1) }.mean
  }
}

extension [Float] {
  fileprivate var mean: Float { isEmpty ? 0 : reduce(0, +) / Float(count) }
}
