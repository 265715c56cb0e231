// SPDX-License-Identifier: Apache-2.0
import Testing

import PetClassifiers

struct PoseCuesTests {
  @Test func `posture is that of trunk and thighs`() {
    #expect(PoseCues.posture(SamplePose.pose(SamplePose.standing)) == .standing)
    #expect(PoseCues.posture(SamplePose.pose(SamplePose.sitting)) == .sitting)
    #expect(PoseCues.posture(SamplePose.pose(SamplePose.lying)) == .lying)
  }

  @Test func `what is not seen is not guessed`() {
    let legs: Set<PoseJoint> = [.leftKnee, .rightKnee, .leftAnkle, .rightAnkle]
    #expect(PoseCues.posture(SamplePose.pose(SamplePose.standing, hidden: legs)) == .unknown)
    #expect(PoseCues.posture(SamplePose.pose(SamplePose.lying, hidden: legs)) == .lying)
    #expect(PoseCues.posture(SamplePose.pose(SamplePose.standing, hidden: [.leftHip, .rightHip])) == .unknown)
    // One leg is enough.
    #expect(PoseCues.posture(SamplePose.pose(SamplePose.sitting, hidden: [.leftKnee])) == .sitting)
  }

  @Test func `arms are up above the nose`() {
    var places = SamplePose.standing
    #expect(PoseCues.raisedArms(SamplePose.pose(places)) == .none)
    places[.leftElbow] = (0.3, -0.6, 0)
    places[.leftWrist] = (0.3, -0.9, 0)
    #expect(PoseCues.raisedArms(SamplePose.pose(places)) == .left)
    places[.rightElbow] = (-0.3, -0.6, 0)
    places[.rightWrist] = (-0.3, -0.9, 0)
    #expect(PoseCues.raisedArms(SamplePose.pose(places)) == .both)
    #expect(PoseCues.raisedArms(SamplePose.pose(places, hidden: [.leftWrist])) == .right)
    #expect(PoseCues.raisedArms(SamplePose.pose(places, hidden: [.nose])) == .none)
  }

  @Test func `somebody moves when one joint goes farther than it trembles`() {
    let pose = SamplePose.pose(SamplePose.standing)
    #expect(PoseCues.motion(pose, earlier: []) == .unknown)
    // The trunk is 100 pixels.
    #expect(PoseCues.motion(pose, earlier: [SamplePose.pose(SamplePose.standing, moved: (3, 3))]) == .still)
    #expect(PoseCues.motion(pose, earlier: [pose, SamplePose.pose(SamplePose.standing, moved: (16, 0))]) == .moving)
    var waving = SamplePose.standing
    waving[.leftWrist] = (0.4, -0.2, 0)
    #expect(PoseCues.motion(pose, earlier: [SamplePose.pose(waving)]) == .moving)
    #expect(PoseCues.motion(pose, earlier: [SamplePose.pose(waving, hidden: [.leftWrist])]) == .still)
  }
}
