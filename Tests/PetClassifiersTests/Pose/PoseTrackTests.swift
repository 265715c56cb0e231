// SPDX-License-Identifier: Apache-2.0
import Testing

import PetClassifiers

struct PoseTrackTests {
  @Test func `the next frame is looked at where the body was`() throws {
    var track = PoseTrack()
    #expect(track.region(at: 0) == nil)
    _ = track.add(SamplePose.pose(SamplePose.standing), at: 0)
    let region = try #require(track.region(at: 0.05))
    // 1.25 times the circle of radius 200 around the hips.
    #expect(region.center == PicturePoint(x: 300, y: 300) && region.side == 500)
    #expect(abs(region.rotation) < 1e-6)
  }

  @Test func `after a gap, or when time goes back, people are looked for anew`() {
    var track = PoseTrack()
    _ = track.add(SamplePose.pose(SamplePose.standing), at: 10)
    #expect(track.region(at: 10.9) != nil)
    #expect(track.region(at: 11.1) == nil)
    #expect(track.region(at: 9.9) == nil)
  }

  @Test func `motion is known after half a second`() {
    var track = PoseTrack()
    var motions: [PoseCues.Motion] = []
    for frame in 0..<30 {
      // Still for a second, then 10 pixels a frame.
      let x = Float(max(frame - 15, 0) * 10)
      motions.append(track.add(SamplePose.pose(SamplePose.standing, moved: (x, 0)), at: Double(frame) / 15).cues.motion)
    }
    #expect(motions[0..<7].allSatisfy { $0 == .unknown })
    #expect(motions[9..<15].allSatisfy { $0 == .still })
    #expect(motions[22...].allSatisfy { $0 == .moving })
  }

  @Test func `frames at the same time do not divide by zero`() {
    var track = PoseTrack()
    for _ in 0..<3 {
      let smooth = track.add(SamplePose.pose(SamplePose.standing, moved: (5, 0)), at: 1).pose
      #expect(smooth.landmarks.allSatisfy { $0.x.isFinite && $0.world.x.isFinite })
    }
  }
}

struct OneEuroFilterTests {
  @Test func `it is still for what trembles, and quick for what moves`() {
    var filter = OneEuroFilter(.init(cutoff: 0.05, beta: 80))
    let first = filter.smooth(10, seconds: 1, scale: 1)
    #expect(first == 10)
    for step in 0..<40 {
      let value = filter.smooth(10 + (step % 2 == 0 ? 0.001 : -0.001), seconds: 0.05, scale: 1)
      #expect(abs(value - 10) < 0.0003)
    }
    var last: Float = 0
    for step in 1...10 { last = filter.smooth(10 + Float(step), seconds: 0.05, scale: 1) }
    #expect(abs(last - 20) < 0.05)
  }

  /// By hand from the paper's formulas: cutoff 1, beta 0, 0.1 seconds: the weight is 1 / (1 + 1 / (2 pi 0.1)).
  @Test func `a step is followed as far as the cutoff says`() {
    var filter = OneEuroFilter(.init(cutoff: 1, beta: 0))
    _ = filter.smooth(0, seconds: 1, scale: 1)
    let value = filter.smooth(1, seconds: 0.1, scale: 1)
    #expect(abs(value - 0.385869) < 1e-5)
  }
}
