// SPDX-License-Identifier: Apache-2.0
import NIOHTTP1
import PetAPI
import PetEngine

/// Whether the daemon lives and can answer. Neither loads a model nor keeps one from going when it is idle.
struct Health: Sendable {
  let models: ServedModels
  let notices: ServiceNotices

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
    @OrNull var tier: String?
    let isLoaded: Bool
    @OrNull var reason: String?
    /// For what it stands in.
    @OrNull var degraded: DegradedForm?
    /// What a person should know all the same.
    let notices: [String]

    enum CodingKeys: String, CodingKey {
      case status, model, tier, reason, degraded, notices
      case isLoaded = "loaded"
    }

    init(_ status: String, _ serving: ServingIdentity, isLoaded: Bool, reason: String?, notices: [String]) {
      (self.status, self.isLoaded, self.notices) = (status, isLoaded, notices)
      model = serving.identity.name
      tier = serving.identity.tier
      self.reason = reason
      degraded = serving.degraded
    }
  }

  private func ready() async -> ServiceResponse {
    let model = models.language
    let (isLoaded, serving) = (await model.isLoaded, await models.serving)
    let notices = await notices.all(of: models)
    // What loads, or goes and comes again, keeps a request waiting and not away.
    if case .unavailable(let reason) = await model.availability, !reason.isTemporary {
      return JSON.response(
        Report("unavailable", serving, isLoaded: isLoaded, reason: "\(reason)", notices: notices), .serviceUnavailable)
    }
    let status = serving.degraded == nil ? "ready" : "degraded"
    return JSON.response(
      Report(status, serving, isLoaded: isLoaded, reason: serving.degraded?.reason, notices: notices))
  }
}
