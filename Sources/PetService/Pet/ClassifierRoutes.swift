import NIOCore
import NIOHTTP1
import PetEngine
import Synchronization

/// `/pet/classify/...`: what a picture, a voice or a table of moods shows.
///
/// What is uploaded is decoded and classified one after the other, so that memory holds one picture or sound, however many
/// clients there are.
struct ClassifierRoutes: Sendable {
  /// Who comes when so many wait is told to come again.
  private static let mostWaiting = 16
  /// Pixels of the largest picture: what cameras make, 50 MB in memory.
  private static let pixelLimit = 1 << 24

  private let classifiers: Classifiers
  /// Bytes that can be had, asked before each picture.
  private let room: @Sendable () -> UInt64?
  private let turns = TurnQueue()
  private let waiting = Waiting()

  init(classifiers: Classifiers, room: @escaping @Sendable () -> UInt64?) {
    self.classifiers = classifiers
    self.room = room
  }

  private struct Form<Result: Encodable>: Encodable {
    /// Such as "PoseDetection_High".
    let model: String
    let result: Result
  }

  func add(to router: inout Router) {
    router.on(.POST, "/pet/classify/pose") { request, _ in
      try await answer(request, classifiers.pose) { bytes, model in
        try await model.run { try $0.classify(picture(bytes)) }
      }
    }
    router.on(.POST, "/pet/classify/expression") { request, _ in
      try await answer(request, classifiers.expression) { bytes, model in
        try await model.run { try $0.classify(picture(bytes)) }
      }
    }
    router.on(.POST, "/pet/classify/affect") { request, _ in
      try await answer(request, classifiers.affect) { bytes, model in
        // Minutes of sound take seconds, which are not for the pool of tasks.
        try await onOwnThread { try model.classify(Waveform(wav: bytes)) }
      }
    }
    router.on(.POST, "/pet/classify/stress") { request, _ in
      try await answer(request, classifiers.stress) { bytes, model in try model.assess(StressSignals(bytes)) }
    }
  }

  /// No larger than half of the room that there is.
  private func picture(_ bytes: [UInt8]) throws(ClassifierError) -> Picture {
    // While it is decoded: a progressive JPEG, and a PNG that is turned.
    let bytesPerPixel = bytes.first == 0xFF ? 9 : 6
    let most = room().map { Int(clamping: $0) / 2 / bytesPerPixel } ?? .max
    return try Picture(bytes, pixelLimit: min(Self.pixelLimit, most))
  }

  private func answer<Model: Sendable, Result: Encodable & Sendable>(
    _ request: ServiceRequest, _ model: LazyModel<Model>,
    _ body: @escaping @Sendable ([UInt8], Model) async throws -> Result
  ) async throws -> ServiceResponse {
    guard waiting.enter(atMost: Self.mostWaiting) else {
      throw ServiceError(.tooManyRequests, "too many wait to be classified", code: "overloaded", retryAfter: 1)
    }
    defer { waiting.leave() }
    await turns.begin()
    defer { turns.end() }
    let bytes = Array(request.body.readableBytesView)
    let result = try await classifiers.run(model) { try await body(bytes, $0) }
    return JSON.response(Form(model: await model.facts.version, result: result))
  }

  private final class Waiting: Sendable {
    private let count = Mutex(0)

    func enter(atMost limit: Int) -> Bool {
      count.withLock { count in
        guard count < limit else { return false }
        count += 1
        return true
      }
    }

    func leave() { count.withLock { $0 -= 1 } }
  }
}
