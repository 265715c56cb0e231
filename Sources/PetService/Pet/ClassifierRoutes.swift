// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1
import PetAPI
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
  fileprivate static let pixelLimit = 1 << 24

  private let classifiers: Classifiers
  private let decoder: MediaDecoder
  /// Bytes that can be had, asked before each picture.
  private let room: @Sendable () -> UInt64?
  private let responder: PerformanceResponder?
  private let deviceRoot: String
  private let turns = TurnQueue()
  private let waiting = Waiting()

  init(
    classifiers: Classifiers, decoder: MediaDecoder, room: @escaping @Sendable () -> UInt64?,
    responder: PerformanceResponder?,
    deviceRoot: String
  ) {
    self.classifiers = classifiers
    self.decoder = decoder
    self.room = room
    self.responder = responder
    self.deviceRoot = deviceRoot
  }

  private struct Form<Result: Encodable>: Encodable {
    /// Such as "PoseDetection_High".
    let model: String
    let result: Result
    /// Of what nobody waits for: the part of its usual rate at which it should be asked from now on.
    let rate: Double?
  }

  /// `?optional=true` says that nobody waits for the answer: then settings, battery and heat may keep it from being found.
  /// - Returns: the part of the usual rate at which it may be asked; nil where somebody waits.
  private func rate(_ request: ServiceRequest, _ model: String) async throws(ServiceError) -> Double? {
    switch request.target.query["optional"] {
    case nil, "false": return nil
    case "true": break
    default: throw ServiceError.invalid("optional", "optional must be true or false")
    }
    var reason = classifiers.reasonAgainstUnasked(.read(root: deviceRoot))
    if reason == nil, let responder {
      await responder.setRole(.init(isOptional: true, isPeriodic: true), of: model)
      await responder.respond(to: model)
      switch await responder.pace(of: model) {
      case .run(let rate): return rate
      case .off: reason = "the device saves power"
      }
    }
    guard let reason else { return 1 }
    throw ServiceError(
      .conflict, "\(reason): \(model) runs only where somebody waits for it", parameter: "optional",
      code: "optional_off", retryAfter: 60)
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
        try await onOwnThread { try model.classify(decoder.sound(wav: bytes)) }
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
    return try decoder.picture(bytes, pixelLimit: min(Self.pixelLimit, most))
  }

  private func answer<Model: Sendable, Result: Encodable & Sendable>(
    _ request: ServiceRequest, _ model: LazyModel<Model>,
    _ body: @escaping @Sendable ([UInt8], Model) async throws -> Result
  ) async throws -> ServiceResponse {
    guard waiting.enter(atMost: Self.mostWaiting) else {
      throw ServiceError(.tooManyRequests, "too many wait to be classified", code: "overloaded", retryAfter: 1)
    }
    defer { waiting.leave() }
    let rate = try await self.rate(request, model.name)
    await turns.begin()
    defer { turns.end() }
    let bytes = Array(request.body.readableBytesView)
    let result = try await classifiers.run(model) { try await body(bytes, $0) }
    return JSON.response(Form(model: await model.facts.version, result: result, rate: rate))
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

extension MediaDecoder {
  /// For what a service takes: as ``sealed(fileLimit:pixelLimit:)``.
  package static func sealedForService() -> MediaDecoder {
    sealed(fileLimit: HTTPLimits().bodyBytes, pixelLimit: ClassifierRoutes.pixelLimit)
  }
}
