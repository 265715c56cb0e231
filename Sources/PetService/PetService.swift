// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Logging
import NIOHTTP1
import PetAPI
import PetEngine

/// What a daemon answers: one engine behind HTTP.
package struct PetService: Sendable {
  /// What it is made of.
  package struct Parts: Sendable {
    package var models: ServedModels
    package var household: Household
    package var access: AccessPolicy
    /// Nil: who may ask may ask as often as they like.
    package var rateLimit: RateLimit?
    package var profile = Profile.phone
    /// Minds danger where no pet leads the conversation.
    package var safety = SafetyNet()
    /// What the program gave to `MetricsSystem.bootstrap(_:)`.
    package var metrics: MetricsRegistry
    /// What lowers rates and quality; nil: nothing does.
    package var responder: PerformanceResponder?
    package var logger: Logger
    /// Bytes of memory that can still be had; nil where nothing says.
    package var room: @Sendable () -> UInt64? = { MemoryRoom.read()?.available }
    /// Of what is uploaded to be classified.
    package var decoder = MediaDecoder.here
    /// Below which the files are that tell of power and energy, "/" but for tests.
    package var deviceRoot = "/"
    /// What `/health` tells beside whether it answers.
    package var notices: ServiceNotices
    /// Puts the model of this name in the place of what serves.
    package var install: @Sendable (_ model: String) async throws -> Void

    package init(
      models: ServedModels, household: Household, access: AccessPolicy, metrics: MetricsRegistry,
      responder: PerformanceResponder? = nil, logger: Logger,
      install: @escaping @Sendable (_ model: String) async throws -> Void = { _ in }
    ) {
      self.models = models
      self.household = household
      self.access = access
      self.metrics = metrics
      self.responder = responder
      self.logger = logger
      notices = ServiceNotices(settings: nil, logger: logger)
      self.install = install
    }
  }

  private let access: AccessPolicy
  private let rates: ClientRates?
  private let router: Router
  private let logger: Logger
  private let metrics: MetricsRegistry
  private let clock = ContinuousClock()

  package init(_ parts: Parts) {
    access = parts.access
    rates = parts.rateLimit.map(ClientRates.init)
    (logger, metrics) = (parts.logger, parts.metrics)
    let (models, household) = (parts.models, parts.household)
    var router = Router()
    Health(models: models, notices: parts.notices).add(to: &router)
    router.on(.GET, "/metrics") { [metrics] _, _ in
      let isDegraded = await models.serving.degraded != nil
      Gauge(label: "pet_model_degraded", dimensions: [("model", models.name)], factory: metrics)
        .record(isDegraded ? 1 : 0)
      return .text(metrics.text, type: "text/plain; version=0.0.4; charset=utf-8")
    }
    ModelRoutes(models: models).add(to: &router)
    CompletionRoutes(models: models, net: parts.safety).add(to: &router)
    EmbeddingRoutes(models: models).add(to: &router)
    PetRoutes(household: household).add(to: &router)
    SessionRoutes(household: household).add(to: &router)
    ClassifierRoutes(
      classifiers: models.classifiers, decoder: parts.decoder, room: parts.room, responder: parts.responder,
      deviceRoot: parts.deviceRoot
    ).add(to: &router)
    ModelManagementRoutes(models: models, household: household, install: parts.install).add(to: &router)
    TextRoutes(models: models, net: parts.safety).add(to: &router)
    APIDescription().add(to: &router)
    router.on(.GET, "/pet/privacy") { [models] _, _ in JSON.response(PrivacyForm(models.runtime.privacy)) }
    let figures = FiguresSource(
      models: models, household: household, metrics: metrics, profile: parts.profile, responder: parts.responder,
      notices: parts.notices, deviceRoot: parts.deviceRoot)
    DashboardRoutes(figures: figures).add(to: &router)
    self.router = router
  }

  /// All that can be asked for, as in "GET /pet/sessions/{session}".
  package var routes: [String] { router.routes.map { "\($0.method.rawValue) \($0.pattern)" } }

  /// Answers a request, whatever it is; each leaves one line in the log, without a word of what was said.
  package func answer(_ request: ServiceRequest) async -> ServiceResponse {
    let start = clock.now
    var pattern = "-"
    var response: ServiceResponse
    var reason: String?
    do {
      let (route, parameters) = try admit(request)
      pattern = route.pattern
      response = try await route.handler(request, parameters)
    } catch let error as ServiceError {
      response = error.response
      reason = error.code
    } catch {
      let error = ServiceError(engine: error)
      response = error.response
      reason = error.code
    }
    response.headers.replaceOrAdd(name: "x-request-id", value: request.id)
    response.headers.replaceOrAdd(name: "x-content-type-options", value: "nosniff")
    switch response.body {
    case .bytes: note(request, pattern, response, since: start, isWhole: true, reason: reason)
    case .stream(let body):
      response.body = .stream { [response, pattern] writer in
        var isWhole = false
        defer { note(request, pattern, response, since: start, isWhole: isWhole) }
        try await body(writer)
        isWhole = true
      }
    }
    return response
  }

  private func note(
    _ request: ServiceRequest, _ pattern: String, _ response: ServiceResponse, since start: ContinuousClock.Instant,
    isWhole: Bool, reason: String? = nil
  ) {
    let time = clock.now - start
    Counter(
      label: "pet_http_requests_total",
      dimensions: [("route", pattern), ("status", "\(response.status.code)")], factory: metrics
    ).increment()
    Timer(label: "pet_http_answer", dimensions: [("route", pattern)], factory: metrics)
      .recordNanoseconds(Int64(time / .nanoseconds(1)))
    var metadata: Logger.Metadata = [
      "id": "\(request.id)", "method": "\(request.method)", "route": "\(pattern)",
      "status": "\(response.status.code)",
      "bytes": "\(request.body.readableBytes)", "ms": "\(Int(time / .milliseconds(1)))", "whole": "\(isWhole)",
    ]
    if let reason { metadata["reason"] = "\(reason)" }
    logger.info("request", metadata: metadata)
  }

  /// Why a request is not one of somebody who may ask, as far as its head tells; nil: it is. What is open to those without a token
  /// takes no body.
  package func refusal(of head: HTTPRequestHead, over transport: AccessPolicy.Transport) -> ServiceResponse? {
    do throws(ServiceError) {
      if try asker(head.headers, transport) == nil { throw Self.noToken }
      return nil
    } catch {
      return error.response
    }
  }

  /// Who may ask, how often, and what.
  private func admit(_ request: ServiceRequest) throws(ServiceError) -> (Router.Route, Router.Parameters) {
    guard let client = try asker(request.headers, request.transport) else {
      switch router.find(request.method, request.target.path) {
      case .found(let route, let parameters) where route.isOpen: return (route, parameters)
      case .otherMethods(let routes) where routes.allSatisfy(\.isOpen): throw Self.otherMethods(routes)
      case .found, .otherMethods, .nothing: throw Self.noToken
      }
    }
    let found = try find(request)
    guard request.headers["content-encoding"].allSatisfy({ $0.lowercased() == "identity" }) else {
      throw ServiceError(
        .unsupportedMediaType, "the Content-Encoding field names a coding; send the body as it is, without one",
        parameter: "Content-Encoding", code: "unsupported_encoding")
    }
    if let pet = access.pet(of: client), !found.0.isOf(pet, found.1) {
      throw ServiceError(
        .forbidden, "this token is for \(pet) alone: /pet/pets/\(pet)/... and /pet/sessions/\(pet).NAME")
    }
    // Who looks after the daemon is not kept from it.
    if !found.0.isOpen, !found.0.pattern.hasPrefix("/health"), found.0.pattern != "/metrics" {
      try rates?.take(client)
    }
    return found
  }

  private static let noToken = ServiceError(
    .unauthorized, "a bearer token is needed: a line of PET_HOME/petd.token")

  /// Who asks; nil: somebody without a token.
  private func asker(
    _ headers: HTTPHeaders, _ transport: AccessPolicy.Transport
  ) throws(ServiceError) -> AccessPolicy.Client? {
    // Of two, a proxy before this one may have looked at the other: RFC 9112, section 3.2.
    for name in ["host", "origin", "authorization"] where headers[name].count > 1 {
      throw ServiceError(.badRequest, "there are several \(name) fields")
    }
    let facts = AccessPolicy.Facts(
      transport: transport, host: headers.first(name: "host"), origin: headers.first(name: "origin"),
      authorization: headers.first(name: "authorization"))
    switch access.decide(facts) {
    case .allowed(let client): return client
    case .noToken: return nil
    case .anotherUser: throw ServiceError(.forbidden, "this pet belongs to another user")
    case .foreignHost: throw ServiceError(.forbidden, "the Host header names another machine than this one")
    case .foreignOrigin:
      throw ServiceError(.forbidden, "the Origin header is not this server's own: only its own pages may ask")
    case .wrongToken: throw ServiceError(.unauthorized, "the bearer token is another one", code: "invalid_api_key")
    }
  }

  private func find(_ request: ServiceRequest) throws(ServiceError) -> (Router.Route, Router.Parameters) {
    switch router.find(request.method, request.target.path) {
    case .found(let route, let parameters): return (route, parameters)
    case .otherMethods(let routes): throw Self.otherMethods(routes)
    case .nothing: throw ServiceError(.notFound, "there is nothing at this path")
    }
  }
  private static func otherMethods(_ routes: [Router.Route]) -> ServiceError {
    let methods = routes.map(\.method)
    let names = (methods + (methods.contains(.GET) ? [.HEAD] : [])).map(\.rawValue).joined(separator: ", ")
    return ServiceError(.methodNotAllowed, "only \(names) here", allow: names)
  }
}
