// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// Finds faces and what the one seen best looks like.
///
/// `high` says 7 labels, by facex; `medium` 5 and `low` 3, by fer, whose 7 are merged (``ExpressionLabel``). `high` and
/// `medium` level the eyes by a mesh of the face, `low` by what the detector says. How sure it is, is held against how it
/// judges the same face seen a little otherwise, not against labelled faces: it says how steady a judgement is. Not for several tasks at once: an actor
/// owns it, as ``ExpressionStream`` does.
public final class ExpressionClassifier {
  public let quality: ModelQuality
  private let detector: SSDDetector
  private let meshes: FaceMeshModel?
  private let expressions: ExpressionModel

  /// - Parameters:
  ///   - detector: `face-detector.gguf`
  ///   - landmarks: `face-landmarks.gguf`; `low` does not use it.
  ///   - expression: `expression-high.gguf` for `high`, `expression-medium.gguf` for the others.
  ///   - threads: 1 runs on the caller's thread.
  /// - Throws: `invalidModel`, `unavailable`.
  public init(
    detector: GGUFWeights, landmarks: GGUFWeights?, expression: GGUFWeights, quality: ModelQuality = .high,
    threads: Int = 1
  ) throws(ClassifierError) {
    self.quality = quality
    self.detector = try SSDDetector(detector, .face, threads: threads)
    expressions = try ExpressionModel(expression, quality: quality, threads: threads)
    guard quality != .low else {
      meshes = nil
      return
    }
    guard let landmarks else { throw .invalidModel("quality \(quality) needs the graph of face landmarks") }
    meshes = try FaceMeshModel(landmarks, threads: threads)
  }

  /// Pictures per second that are looked at.
  public var rate: Double { Self.rate(quality) }

  /// 5, 3 or 2.
  public static func rate(_ quality: ModelQuality) -> Double {
    switch quality {
    case .high: 5
    case .medium: 3
    case .low: 2
    }
  }

  /// - Throws: `inferenceFailed`.
  public func classify(_ picture: Picture) throws(ClassifierError) -> ExpressionResult {
    let faces = try detector.detect(picture)
    guard let face = faces.first else { return ExpressionResult(expression: nil, faces: 0) }
    let none = ExpressionResult(expression: nil, faces: faces.count)
    var mesh: FaceMesh?
    if let meshes {
      guard let region = face.meshRegion, let found = try meshes.mesh(in: region, of: picture) else { return none }
      mesh = found
    }
    guard let square = mesh?.square ?? face.faceSquare, let region = expressions.region(square) else { return none }
    var probabilities: [ExpressionLabel: Float] = [:]
    let said = expressions.calibrated(try expressions.probabilities(region, of: picture))
    // In one order, so that of the same picture the same is said to the last bit.
    for label in ExpressionLabel.allCases {
      if let probability = said[label] { probabilities[label.merged(quality), default: 0] += probability }
    }
    let labels = ExpressionLabel.labels(quality)
    guard let best = labels.max(by: { probabilities[$0, default: 0] < probabilities[$1, default: 0] }) else {
      return none
    }
    return ExpressionResult(
      expression: Expression(
        label: best, probabilities: probabilities, box: face.box, region: region, faceScore: face.score,
        mesh: mesh?.points ?? []),
      faces: faces.count)
  }
}
