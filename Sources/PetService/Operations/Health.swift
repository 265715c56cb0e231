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
    let model: String
    let isLoaded: Bool
    let reason: String?

    enum CodingKeys: String, CodingKey {
      case status, model, reason
      case isLoaded = "loaded"
    }
  }

  private func ready() async -> ServiceResponse {
    let model = models.language
    let isLoaded = await model.isLoaded
    // What loads, or goes and comes again, keeps a request waiting and not away.
    if case .unavailable(let reason) = await model.availability, !reason.isTemporary {
      return JSON.response(
        Report(status: "unavailable", model: models.name, isLoaded: isLoaded, reason: "\(reason)"), .serviceUnavailable)
    }
    return JSON.response(Report(status: "ready", model: models.name, isLoaded: isLoaded, reason: nil))
  }
}
