// SPDX-License-Identifier: Apache-2.0
extension Picture {
  /// A copy with the skeleton, the joints that are seen and what was concluded from them drawn on it.
  /// - Complexity: O(pixels).
  package func drawing(_ result: PoseResult) -> Picture {
    var picture = self
    guard let pose = result.pose else {
      picture.drawLabel(["nobody"], at: PicturePoint(x: 0, y: 0), .white)
      return picture
    }
    let isSeen = { (joint: PoseJoint) in pose[joint].visibility >= PoseCues.seen }
    picture.drawOutline(pose.region.corners, .blue)
    for (start, end) in PoseJoint.bones where isSeen(start) && isSeen(end) {
      picture.drawLine(pose[start].place, pose[end].place, .white)
    }
    for joint in PoseJoint.allCases where isSeen(joint) {
      picture.drawDisc(pose[joint].place, radius: strokeWidth * 1.5, .orange)
    }
    picture.drawLabel(Self.lines(result), at: PicturePoint(x: 0, y: 0), .white)
    return picture
  }

  private static func lines(_ result: PoseResult) -> [String] {
    guard let cues = result.cues else { return [] }
    var lines = ["posture \(cues.posture.rawValue)"]
    if cues.raisedArms != .none { lines.append("arms up \(cues.raisedArms.rawValue)") }
    if cues.motion != .unknown { lines.append(cues.motion.rawValue) }
    if result.people > 1 { lines.append("1 of \(result.people)") }
    return lines
  }

  /// A copy with the face, its square, its mesh, the label and how sure it is drawn on it.
  /// - Complexity: O(pixels).
  package func drawing(_ result: ExpressionResult) -> Picture {
    var picture = self
    guard let expression = result.expression else {
      picture.drawLabel(["no face"], at: PicturePoint(x: 0, y: 0), .white)
      return picture
    }
    for point in expression.mesh { picture.drawDisc(point, radius: strokeWidth / 4, .white) }
    picture.drawBox(expression.box, .blue)
    picture.drawOutline(expression.region.corners, .orange)
    var lines = ["\(expression.label.rawValue) \(Int((expression.confidence * 100).rounded()))%"]
    if result.faces > 1 { lines.append("1 of \(result.faces)") }
    picture.drawLabel(
      lines, at: PicturePoint(x: expression.box.x, y: expression.box.y + expression.box.height), .white)
    return picture
  }
}

extension Pose.Landmark {
  fileprivate var place: PicturePoint { PicturePoint(x: x, y: y) }
}
