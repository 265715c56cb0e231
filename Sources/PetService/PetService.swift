import CoreMetrics
import Logging
import NIOHTTP1
import PetEngine

/// What a daemon answers: one engine behind HTTP.
package struct PetService: Sendable {
  let models: ServedModels
  private let access: AccessPolicy
  private let router: Router
  private let logger: Logger
  private let metrics: MetricsRegistry
  private let clock = ContinuousClock()

  /// - Parameter metrics: what the program gave to `MetricsSystem.bootstrap(_:)`.
  package init(
    _ models: ServedModels, _ household: Household, access: AccessPolicy, logger: Logger, metrics: MetricsRegistry
  ) {
    self.models = models
    self.access = access
    self.logger = logger
    self.metrics = metrics
    var router = Router()
    Health(models: models).add(to: &router)
    router.on(.GET, "/metrics") { _, _ in .text(metrics.text, type: "text/plain; version=0.0.4; charset=utf-8") }
    ModelRoutes(models: models).add(to: &router)
    CompletionRoutes(models: models).add(to: &router)
    PetRoutes(household: household).add(to: &router)
    self.router = router
  }

  /// Answers a request, whatever it is; each leaves one line in the log, without a word of what was said.
  package func answer(_ request: ServiceRequest) async -> ServiceResponse {
    let start = clock.now
    var pattern = "-"
    var response: ServiceResponse
    do {
      try check(request)
      let (route, parameters) = try find(request)
      pattern = route.pattern
      response = try await route.handler(request, parameters)
    } catch let error as ServiceError {
      response = error.response
    } catch {
      response = ServiceError(engine: error).response
    }
    response.headers.replaceOrAdd(name: "x-request-id", value: request.id)
    response.headers.replaceOrAdd(name: "x-content-type-options", value: "nosniff")
    switch response.body {
    case .bytes: note(request, pattern, response, since: start, isWhole: true)
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
    isWhole: Bool
  ) {
    let time = clock.now - start
    Counter(
      label: "pet_http_requests_total",
      dimensions: [("route", pattern), ("status", "\(response.status.code)")], factory: metrics
    ).increment()
    Timer(label: "pet_http_answer", dimensions: [("route", pattern)], factory: metrics)
      .recordNanoseconds(Int64(time / .nanoseconds(1)))
    logger.info(
      "request",
      metadata: [
        "id": "\(request.id)", "method": "\(request.method)", "route": "\(pattern)",
        "status": "\(response.status.code)",
        "bytes": "\(request.body.readableBytes)", "ms": "\(Int(time / .milliseconds(1)))", "whole": "\(isWhole)",
      ])
  }

  private func check(_ request: ServiceRequest) throws(ServiceError) {
    let facts = AccessPolicy.Facts(
      transport: request.transport, host: request.headers.first(name: "host"),
      origin: request.headers.first(name: "origin"), authorization: request.headers.first(name: "authorization"))
    switch access.decide(facts) {
    case .allowed: return
    case .anotherUser: throw ServiceError(.forbidden, "this pet belongs to another user")
    case .foreignHost: throw ServiceError(.forbidden, "the Host header names another machine than this one")
    case .foreignOrigin: throw ServiceError(.forbidden, "pages of other sites may not ask")
    case .noToken:
      throw ServiceError(.unauthorized, "a bearer token is needed; it is in the file that petd names at its start")
    case .wrongToken: throw ServiceError(.unauthorized, "the bearer token is another one", code: "invalid_api_key")
    }
  }

  private func find(_ request: ServiceRequest) throws(ServiceError) -> (Router.Route, Router.Parameters) {
    switch router.find(request.method, request.target.path) {
    case .found(let route, let parameters): return (route, parameters)
    case .otherMethods(let methods):
      throw ServiceError(.methodNotAllowed, "only \(methods.map(\.rawValue).joined(separator: ", ")) here")
    case .nothing: throw ServiceError(.notFound, "there is nothing at this path")
    }
  }
}
