// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// Finds people in pictures and where the joints of one of them are: BlazePose, as MediaPipe 0.10.21 runs it.
///
/// The same weights serve all qualities, and a frame costs the same; what differs is how many frames a second are looked at
/// (``rate``). Not for several tasks at once: an actor owns it, as ``PoseStream`` does.
public final class PoseClassifier {
  public let quality: ModelQuality
  private let detector: SSDDetector
  private let landmarks: PoseLandmarkModel
  private var track: PoseTrack?
  private var people = 0

  /// - Parameters:
  ///   - detector: `pose-detector.gguf`
  ///   - landmarks: `pose-landmarks.gguf`
  ///   - threads: 1 runs on the caller's thread.
  /// - Throws: `invalidModel`, `unavailable`.
  public init(
    detector: GGUFWeights, landmarks: GGUFWeights, quality: ModelQuality = .high, threads: Int = 1
  ) throws(ClassifierError) {
    self.quality = quality
    self.detector = try SSDDetector(detector, .pose, threads: threads)
    self.landmarks = try PoseLandmarkModel(landmarks, threads: threads)
  }

  /// Frames per second that are looked at.
  public var rate: Double { Self.rate(quality) }

  /// 20, 15 or 10.
  public static func rate(_ quality: ModelQuality) -> Double {
    switch quality {
    case .high: 20
    case .medium: 15
    case .low: 10
    }
  }

  /// Looks at one picture by itself. Of several people the one that is seen best is taken.
  /// - Throws: `inferenceFailed`.
  public func classify(_ picture: Picture) throws(ClassifierError) -> PoseResult {
    let detections = try detector.detect(picture)
    guard let pose = try pose(detections, picture) else {
      return PoseResult(pose: nil, cues: nil, people: detections.count, isTracked: false)
    }
    return PoseResult(pose: pose, cues: PoseCues(pose), people: detections.count, isTracked: false)
  }

  /// Looks at the next picture of a film. Who was there in the frame before is followed, and smoothed; only when nobody was,
  /// it is looked for people.
  /// - Parameter seconds: when the frame was taken, by any clock. Where it goes back, or on by more than a second, the film
  ///   is taken for a new one.
  /// - Throws: `invalidInput` where `seconds` is not finite; `inferenceFailed`.
  public func follow(_ picture: Picture, at seconds: Double) throws(ClassifierError) -> PoseResult {
    guard seconds.isFinite else { throw .invalidInput("a frame's time is not a number") }
    if var track, let region = track.region(at: seconds),
      let pose = try landmarks.pose(in: region, of: picture)
    {
      let (smooth, cues) = track.add(pose, at: seconds)
      self.track = track
      return PoseResult(pose: smooth, cues: cues, people: people, isTracked: true)
    }
    track = nil
    let detections = try detector.detect(picture)
    people = detections.count
    guard let pose = try pose(detections, picture) else {
      return PoseResult(pose: nil, cues: nil, people: people, isTracked: false)
    }
    var track = PoseTrack()
    let (smooth, cues) = track.add(pose, at: seconds)
    self.track = track
    return PoseResult(pose: smooth, cues: cues, people: people, isTracked: false)
  }

  /// Forgets who was followed.
  public func reset() { track = nil }

  private func pose(_ detections: [Detection], _ picture: Picture) throws(ClassifierError) -> Pose? {
    guard let best = detections.first else { return nil }
    let circle = PoseCircle(middle: best.keypoints[0], top: best.keypoints[1])
    return try circle.region.flatMap { region throws(ClassifierError) in try landmarks.pose(in: region, of: picture) }
  }
}
