// SPDX-License-Identifier: Apache-2.0
/// Watches the face in a film, frame by frame; to be used as ``PoseStream``.
public actor ExpressionStream {
  public struct Answer: Sendable, Equatable {
    /// When the frame was taken.
    public let seconds: Double
    public let result: ExpressionResult
  }

  private let classifier: ExpressionClassifier
  private nonisolated let frames: FrameQueue

  /// Takes over the classifier; looks at as many frames a second as its quality says.
  public init(_ classifier: sending ExpressionClassifier) {
    frames = FrameQueue(rate: classifier.rate)
    self.classifier = classifier
  }

  /// Gives a frame and returns at once.
  /// - Parameter seconds: when it was taken, by any clock.
  /// - Throws: `invalidInput` where `seconds` is not finite.
  public nonisolated func offer(_ picture: Picture, at seconds: Double) throws(ClassifierError) {
    try frames.offer(picture, at: seconds)
  }

  /// No more frames come.
  public nonisolated func finish() { frames.finish() }

  public nonisolated var counts: FrameCounts { frames.counts }

  /// Waits for the next frame and looks at it; nil after the end. Cancelling ends the stream.
  /// - Throws: `inferenceFailed`; the next frame may be asked for all the same.
  public func next() async throws(ClassifierError) -> Answer? {
    guard let frame = await frames.next() else { return nil }
    return Answer(seconds: frame.seconds, result: try classifier.classify(frame.picture))
  }
}
