// SPDX-License-Identifier: Apache-2.0
import Testing

import PetClassifiers

struct FramePaceTests {
  private static func taken(_ rate: Double, of film: Double, seconds: Double) -> Int {
    var pace = FramePace(rate: rate)
    return (0..<Int(film * seconds)).count { pace.takes(Double($0) / film) }
  }

  @Test(arguments: [(20.0, 30.0), (15, 30), (10, 30), (20, 60), (5, 24), (20, 20), (2, 100)])
  func `so many frames are taken as the rate says`(rate: Double, film: Double) {
    #expect(abs(Self.taken(rate, of: film, seconds: 10) - Int(rate * 10)) <= 1)
  }

  @Test func `of a slow film every frame is taken`() {
    #expect(Self.taken(20, of: 5, seconds: 10) == 50)
  }

  @Test func `after a gap, or when time goes back, the next frame is taken`() {
    var pace = FramePace(rate: 10)
    let taken = [0, 100, 100.01, 1, 1.01].map { pace.takes($0) }
    #expect(taken == [true, true, false, true, false])
  }
}

struct LatestFrameTests {
  @Test func `the newest frame wins`() async {
    let latest = LatestFrame<Int>()
    #expect(!latest.put(1))
    #expect(latest.put(2))
    #expect(latest.put(3))
    #expect(await latest.take() == 3)
    #expect(!latest.put(4))
    latest.finish()
    #expect(await latest.take() == 4)
    #expect(await latest.take() == nil)
    #expect(latest.put(5))
  }

  @Test func `who waits is given the next frame`() async {
    let latest = LatestFrame<Int>()
    let taken = Task { await latest.take() }
    while !latest.isAwaited { await Task.yield() }
    #expect(!latest.put(7))
    #expect(await taken.value == 7)
  }

  @Test func `cancelling wakes who waits`() async {
    let latest = LatestFrame<Int>()
    let taken = Task { await latest.take() }
    taken.cancel()
    #expect(await taken.value == nil)
  }
}

struct PictureStreamTests {
  private static func poses() throws -> PoseClassifier {
    try PoseClassifier(
      detector: GraphFixtures.weights("pose-detector"), landmarks: GraphFixtures.weights("pose-landmarks"),
      quality: .low)
  }

  @Test func `a person is followed, and frames that nobody had time for are counted`() async throws {
    let stream = PoseStream(try Self.poses())
    let picture = try Picture.astronaut()
    // All at once: 0.05 seconds apart at 10 a second every other is left out, and of the rest the last stays.
    for frame in 0..<10 { try stream.offer(picture, at: Double(frame) * 0.05) }
    let first = try #require(try await stream.next())
    #expect(first.seconds == 0.4 && first.result.pose != nil && !first.result.isTracked)
    #expect(stream.counts == FrameCounts(offered: 10, judged: 1, dropped: 4, skipped: 5))
    try stream.offer(picture, at: 0.5)
    stream.finish()
    let second = try #require(try await stream.next())
    #expect(second.result.isTracked && second.result.people == first.result.people)
    #expect(try await stream.next() == nil)
    try stream.offer(picture, at: 0.7)
    #expect(stream.counts.dropped == 5)
  }

  @Test func `who leaves is lost, and nobody is found`() async throws {
    let classifier = try Self.poses()
    #expect(try classifier.follow(Picture.astronaut(), at: 0).pose != nil)
    let empty = try Picture(width: 256, height: 256, rgb: [UInt8](repeating: 90, count: 256 * 256 * 3))
    let result = try classifier.follow(empty, at: 0.1)
    #expect(result.pose == nil && result.cues == nil && !result.isTracked)
    #expect(try !classifier.follow(Picture.astronaut(), at: 0.2).isTracked)
    #expect(throws: ClassifierError.self) { try classifier.follow(empty, at: .nan) }
  }

  @Test func `faces are watched`() async throws {
    let classifier = try ExpressionClassifier(
      detector: GraphFixtures.weights("face-detector"), landmarks: nil,
      expression: GraphFixtures.weights("expression-medium"), quality: .low)
    let stream = ExpressionStream(classifier)
    try stream.offer(Picture.astronaut(), at: 0)
    #expect(try await stream.next()?.result.expression?.label == .happy)
    #expect(throws: ClassifierError.self) { try stream.offer(Picture.astronaut(), at: .infinity) }
  }
}
