// SPDX-License-Identifier: Apache-2.0
/// The 33 places of a body, in BlazePose's order; left and right are the person's own.
/// V. Bazarevsky and others, "BlazePose", 2020, https://arxiv.org/abs/2006.10204
public enum PoseJoint: Int, CaseIterable, Sendable {
  case nose
  case leftEyeInner, leftEye, leftEyeOuter
  case rightEyeInner, rightEye, rightEyeOuter
  case leftEar, rightEar, mouthLeft, mouthRight
  case leftShoulder, rightShoulder, leftElbow, rightElbow, leftWrist, rightWrist
  case leftPinky, rightPinky, leftIndex, rightIndex, leftThumb, rightThumb
  case leftHip, rightHip, leftKnee, rightKnee, leftAnkle, rightAnkle
  case leftHeel, rightHeel, leftFootIndex, rightFootIndex

  /// As JSON has it: `left_eye_inner`.
  public var name: String {
    "\(self)".reduce(into: "") { name, letter in
      name += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
    }
  }

  /// Joints between which a skeleton has a bone.
  public static let bones: [(PoseJoint, PoseJoint)] = [
    (.leftEar, .leftEye), (.leftEye, .nose), (.nose, .rightEye), (.rightEye, .rightEar), (.mouthLeft, .mouthRight),
    (.leftShoulder, .rightShoulder), (.leftHip, .rightHip),
    (.leftShoulder, .leftElbow), (.leftElbow, .leftWrist), (.leftWrist, .leftIndex),
    (.rightShoulder, .rightElbow), (.rightElbow, .rightWrist), (.rightWrist, .rightIndex),
    (.leftShoulder, .leftHip), (.leftHip, .leftKnee), (.leftKnee, .leftAnkle), (.leftAnkle, .leftHeel),
    (.leftHeel, .leftFootIndex),
    (.rightShoulder, .rightHip), (.rightHip, .rightKnee), (.rightKnee, .rightAnkle), (.rightAnkle, .rightHeel),
    (.rightHeel, .rightFootIndex),
  ]
}
