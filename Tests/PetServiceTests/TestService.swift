// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import PetEngine
import PetService
import Synchronization

/// A service with the built-in model and with pets in a folder of its own, asked without a socket.
final class TestService: Sendable {
  let folder: String
  let models: ServedModels
  let household: Household
  let metrics = MetricsRegistry()
  let responder: PerformanceResponder?
  private let service: PetService

  /// Where many tests run at once, one of them may be held up for minutes.
  static var longLease: Household.Settings {
    var settings = Household.Settings()
    settings.lease = .seconds(3600)
    return settings
  }

  /// - Parameters:
  ///   - folder: of pets; it is the caller's to remove.
  ///   - loader: of another model than the built-in one.
  ///   - smaller: what that steps down to.
  ///   - device: below which the files are that tell of heat and power; nil: nothing is done about them.
  ///   - time: since a fixed moment.
  ///   - room: bytes of memory that pictures find, in the place of what there is.
  init(
    in folder: String? = nil, _ settings: Household.Settings = longLease, rateLimit: RateLimit? = nil,
    loader: ModelLoader<LanguageModel>? = nil, smaller: [ModelLoader<LanguageModel>] = [], room: UInt64? = nil,
    device: String? = nil, time: @escaping @Sendable () -> Duration = PerformanceMonitor.uptime()
  ) async throws {
    self.folder = folder ?? URL.temporaryDirectory.appending(path: "pets-\(UInt64.random(in: 0 ... .max))").path
    // Other tests of this process open sockets, to see that they are found.
    let runtime = ModelRuntime(
      budget: 500 << 20, performance: PerformanceMonitor(power: { .read(root: device ?? "/nowhere") }, now: time),
      privacy: PrivacyMonitor(isExempt: { _ in true }))
    // The separate model lies in the repository's folder as in a store.
    let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let store = ModelStore(folder: repository.appending(path: "Models").path, catalog: try .builtIn())
    let loader = try loader ?? .language(.builtIn(name: "nano-v6.gguf"), .init(threadCount: 1, contextLength: 512))
    let model = try await runtime.add("pet-nano", loader: loader, smaller: smaller)
    let classifiers = try await runtime.addClassifiers(Configuration(.watch), in: store)
    let models = ServedModels(model, named: "pet-nano", classifiers, in: runtime, store: store, started: 1_800_000_000)
    self.models = models
    household = Household(self.folder, models: models, settings)
    var parts = PetService.Parts(
      models: models, household: household,
      access: AccessPolicy(
        user: 1000,
        tokens: [
          AccessToken(Array("0123456789abcdef".utf8)), AccessToken(Array("fedcba9876543210".utf8), pet: "mochi"),
        ]), metrics: metrics,
      logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() },
      install: { name in
        try await models.install(
          try Configuration(
            .init(flags: [.init(.model, name, name: "model"), .init(.context, "256", name: "context")])))
      })
    parts.rateLimit = rateLimit
    if let room { parts.room = { room } }
    if let device {
      parts.deviceRoot = device
      parts.responder = PerformanceResponder(runtime, device: { .read(root: device) }, now: time)
    }
    responder = parts.responder
    service = PetService(parts)
  }

  /// As in "GET /health".
  var routes: [String] { service.routes }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  func respond(
    _ method: HTTPMethod, _ path: String, _ body: String = "", headers: HTTPHeaders = [:],
    transport: AccessPolicy.Transport = .unix(user: 1000)
  ) async throws -> ServiceResponse {
    try await respond(method, path, body: ByteBuffer(string: body), headers: headers, transport: transport)
  }

  func respond(
    _ method: HTTPMethod, _ path: String, body: ByteBuffer, headers: HTTPHeaders = [:],
    transport: AccessPolicy.Transport = .unix(user: 1000)
  ) async throws -> ServiceResponse {
    await service.answer(
      ServiceRequest(
        method: method, target: try RequestTarget(path), headers: headers, body: body, id: "7", transport: transport))
  }

  func ask(
    _ method: HTTPMethod, _ path: String, _ body: String = "{}", headers: HTTPHeaders = [:], user: UInt32 = 1000
  ) async throws -> (status: UInt, text: String) {
    let response = try await respond(method, path, body, headers: headers, transport: .unix(user: user))
    switch response.body {
    case .bytes(let bytes): return (response.status.code, String(buffer: bytes))
    case .stream(let write):
      let text = Mutex("")
      try await write(ResponseWriter { piece in text.withLock { $0 += String(buffer: piece) } })
      return (response.status.code, text.withLock { $0 })
    }
  }

  func say(
    _ text: String, in session: String, key: String? = nil
  ) async throws -> (source: String?, text: String?) {
    let answer = try await ask(
      .POST, "/pet/sessions/\(session)/messages", #"{"text": "\#(text)"}"#,
      headers: key.map { ["idempotency-key": $0] } ?? [:])
    let form = try JSONNode.object(answer.text)
    return (form["source"]?.text, form["text"]?.text)
  }
}
