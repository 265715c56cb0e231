// SPDX-License-Identifier: Apache-2.0
extension Picture {
  /// A copy with the skeleton and what was concluded from it drawn on it: left limbs in one colour, right ones in another.
  /// - Parameter showsBoxes: draws where the body was looked for, and every joint that is seen, too.
  /// - Complexity: O(pixels).
  package func drawing(_ result: PoseResult, showsBoxes: Bool = false) -> Picture {
    var picture = self
    guard let pose = result.pose else {
      picture.drawCaption(["nobody"], .bottomLeft)
      return picture
    }
    picture.drawSkeleton(pose)
    if showsBoxes {
      picture.drawLines([pose.region.corners], radius: strokeWidth / 2, .blue, isClosed: true)
      let seen = PoseJoint.allCases.filter { pose.isSeen($0) }.map { [pose[$0].place] }
      picture.drawLines(seen, radius: strokeWidth, .orange)
    }
    picture.drawCaption(Self.lines(result, pose), .bottomLeft)
    return picture
  }

  /// Limbs with a dark edge, so that they are seen on every ground, and the joints that bend as white discs in them.
  private mutating func drawSkeleton(_ pose: Pose) {
    let bones = PoseJoint.bones.filter { pose.isSeen($0.0) && pose.isSeen($0.1) }
    let limb = limbRadius(pose)
    let lines = { (side: BodySide, isOfFace: Bool) in
      bones.filter { BodySide($0.0, $0.1) == side && $0.0.isOfFace == isOfFace }.map {
        [pose[$0.0].place, pose[$0.1].place]
      }
    }
    let joints = PoseJoint.bending.filter { pose.isSeen($0) }.map { [pose[$0].place] }
    let edge = max(1, limb * 0.4)
    drawLines(
      BodySide.allCases.flatMap { lines($0, false) } + joints, radius: limb + edge, .ink, opacity: 0.45)
    drawLines(BodySide.allCases.flatMap { lines($0, true) }, radius: limb * 0.5 + edge, .ink, opacity: 0.35)
    for side in [BodySide.middle, .right, .left] {
      drawLines(lines(side, true), radius: limb * 0.5, side.color)
      drawLines(lines(side, false), radius: limb, side.color)
    }
    drawLines(joints, radius: limb * 1.15, .white)
    drawLines(PoseJoint.facial.filter { pose.isSeen($0) }.map { [pose[$0].place] }, radius: limb * 0.8, .white)
  }

  /// No thicker than suits the picture, nor than suits the body, whose shoulders are about eight limbs wide.
  private func limbRadius(_ pose: Pose) -> Float {
    let (left, right) = (pose[.leftShoulder].place, pose[.rightShoulder].place)
    let (x, y) = (left.x - right.x, left.y - right.y)
    let shoulders = (x * x + y * y).squareRoot()
    return max(1.2, min(strokeWidth * 1.5, shoulders.isFinite ? shoulders / 16 : .infinity))
  }

  private static func lines(_ result: PoseResult, _ pose: Pose) -> [String] {
    var lines: [String] = []
    if let cues = result.cues {
      var words = [cues.posture == .unknown ? "posture unclear" : cues.posture.rawValue]
      switch cues.raisedArms {
      case .none: break
      case .both: words.append("both arms raised")
      case .left, .right: words.append("\(cues.raisedArms.rawValue) arm raised")
      }
      if cues.motion != .unknown { words.append(cues.motion.rawValue) }
      lines.append(words.joined(separator: ", "))
    }
    let others = result.people > 1 ? ", 1 of \(result.people) people" : ""
    return lines + ["person \(percent(pose.score))\(others)"]
  }

  /// A copy with the lines of the face, the label and how likely it is drawn on it.
  /// - Parameter showsBoxes: draws the box of the face, the square that was judged, and the whole mesh, too.
  /// - Complexity: O(pixels).
  package func drawing(_ result: ExpressionResult, showsBoxes: Bool = false) -> Picture {
    var picture = self
    guard let expression = result.expression else {
      picture.drawCaption(["no face"], .bottomLeft)
      return picture
    }
    let pen = max(0.7, min(strokeWidth / 2, expression.box.width / 180))
    let contours = FaceContours.chains(of: expression.mesh)
    picture.drawLines(contours, radius: pen + max(0.6, pen * 0.8), .ink, opacity: 0.3)
    picture.drawLines(contours, radius: pen, .white, opacity: 0.85)
    if showsBoxes {
      picture.drawLines(expression.mesh.map { [$0] }, radius: max(0.6, pen * 0.7), .white)
      picture.drawBox(expression.box, .blue)
      picture.drawLines([expression.region.corners], radius: strokeWidth / 2, .orange, isClosed: true)
    }
    picture.drawCaption(Self.lines(expression, faces: result.faces), .beside(expression.box))
    return picture
  }

  private static func lines(_ expression: Expression, faces: Int) -> [String] {
    let ranking = expression.probabilities.map { (name: $0.key.rawValue, part: $0.value) }
      .sorted { ($1.part, $0.name) < ($0.part, $1.name) }.prefix(2).map { "\($0.name) \(percent($0.part))" }
    let lines = expression.isClear ? Array(ranking.prefix(1)) : ["unclear", ranking.joined(separator: ", ")]
    return lines + (faces > 1 ? ["1 of \(faces) faces"] : [])
  }

  private static func percent(_ part: Float) -> String {
    "\(part.isFinite ? Int((min(max(part, 0), 1) * 100).rounded()) : 0) %"
  }
}

/// The side of a body, as the person has it.
private enum BodySide: CaseIterable {
  case left, right, middle

  /// Of a bone.
  init(_ start: PoseJoint, _ end: PoseJoint) {
    switch (start.name.split(separator: "_").first, end.name.split(separator: "_").first) {
    case ("left", "left"): self = .left
    case ("right", "right"): self = .right
    default: self = .middle
    }
  }

  var color: PictureColor {
    switch self {
    case .left: .teal
    case .right: .amber
    case .middle: .white
    }
  }
}

extension PoseJoint {
  fileprivate static let bending: [PoseJoint] = [
    .leftShoulder, .rightShoulder, .leftElbow, .rightElbow, .leftWrist, .rightWrist, .leftHip, .rightHip, .leftKnee,
    .rightKnee, .leftAnkle, .rightAnkle,
  ]
  fileprivate static let facial: [PoseJoint] = [.nose, .leftEye, .rightEye]

  fileprivate var isOfFace: Bool { rawValue <= PoseJoint.mouthRight.rawValue }
}

extension Pose {
  fileprivate func isSeen(_ joint: PoseJoint) -> Bool { self[joint].visibility >= PoseCues.seen }
}

extension Pose.Landmark {
  fileprivate var place: PicturePoint { PicturePoint(x: x, y: y) }
}
