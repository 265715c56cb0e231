// SPDX-License-Identifier: Apache-2.0
/// What a face looks like. A guess from one moment, which says nothing certain about what somebody feels.
public struct Expression: Sendable, Equatable {
  /// The likeliest label of the quality's.
  public let label: ExpressionLabel
  /// Of each label of the quality; they add up to 1.
  public let probabilities: [ExpressionLabel: Float]
  /// Where the face is.
  public let box: PictureBox
  /// The square that was judged, with level eyes.
  package let region: PictureRegion
  /// How probably it is a face, 0.5 to 1.
  public let faceScore: Float
  /// 468 points on the face; none at `low`, which does without. Not in JSON.
  public let mesh: [PicturePoint]

  /// Of ``label``.
  public var confidence: Float { probabilities[label] ?? 0 }
  /// The label that the judgement comes to; nil where it is unclear: no label is more likely than all others together, and leads the next
  /// by at least 1/n of n labels. ``label`` is then only the first of a ranking.
  public var finding: ExpressionLabel? { Finding.of(probabilities) }
  public var isClear: Bool { finding != nil }
}

/// What was seen in a picture of faces.
public struct ExpressionResult: Sendable, Equatable {
  /// Nil where there is no face.
  public let expression: Expression?
  /// How many faces were seen; the one seen best is the one that was judged.
  public let faces: Int

  package init(expression: Expression?, faces: Int) {
    self.expression = expression
    self.faces = faces
  }
}

extension Expression: Encodable {
  private enum Key: String, CodingKey {
    case finding, label, confidence, probabilities, box, region
    case faceScore = "face_score"
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    // Null where it is unclear.
    try fields.encode(finding, forKey: .finding)
    try fields.encode(label, forKey: .label)
    try fields.encode(confidence, forKey: .confidence)
    // As an object: a dictionary whose keys are no strings becomes an array.
    try fields.encode(
      Dictionary(uniqueKeysWithValues: probabilities.map { ($0.key.rawValue, $0.value) }), forKey: .probabilities)
    try fields.encode(box, forKey: .box)
    try fields.encode(region, forKey: .region)
    try fields.encode(faceScore, forKey: .faceScore)
  }
}

extension ExpressionResult: Encodable {
  private enum Key: String, CodingKey { case faces, expression }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(faces, forKey: .faces)
    try fields.encode(expression, forKey: .expression)
  }
}
