import NIOHTTP1
import PetEngine

/// Whether the daemon lives and can answer. Neither loads a model nor keeps one from going when it is idle.
struct Health: Sendable {
  let models: ServedModels

  func add(to router: inout Router) {
    router.on(.GET, "/health/live") { _, _ in .text("{\"status\":\"live\"}", type: "application/json") }
    for path in ["/health", "/health/ready"] {
      router.on(.GET, path) { _, _ in await ready() }
    }
  }

  private struct Report: Encodable {
    let status: String
    /// What answers.
    let model: String
    let tier: String?
    let isLoaded: Bool
    let reason: String?
    /// For what it stands in.
    let degraded: DegradedForm?

    enum CodingKeys: String, CodingKey {
      case status, model, tier, reason, degraded
      case isLoaded = "loaded"
    }

    init(_ status: String, _ serving: ServingIdentity, isLoaded: Bool, reason: String? = nil) {
      (self.status, self.isLoaded, self.reason) = (status, isLoaded, reason)
      (model, tier, degraded) = (serving.identity.name, serving.identity.tier, serving.degraded)
    }
  }

  private func ready() async -> ServiceResponse {
    let model = models.language
    let (isLoaded, serving) = (await model.isLoaded, await models.serving)
    // What loads, or goes and comes again, keeps a request waiting and not away.
    if case .unavailable(let reason) = await model.availability, !reason.isTemporary {
      return JSON.response(
        Report("unavailable", serving, isLoaded: isLoaded, reason: "\(reason)"), .serviceUnavailable)
    }
    let status = serving.degraded == nil ? "ready" : "degraded"
    return JSON.response(Report(status, serving, isLoaded: isLoaded, reason: serving.degraded?.reason))
  }
}
