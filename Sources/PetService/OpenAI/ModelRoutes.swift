// SPDX-License-Identifier: Apache-2.0
import NIOHTTP1
import PetAPI
import PetEngine

/// `GET /v1/models`: https://platform.openai.com/docs/api-reference/models
struct ModelRoutes: Sendable {
  let models: ServedModels

  private struct Model: Encodable {
    let id: String
    let object = "model"
    let created: Int64
    let owner = "pet"
    let tier: String?
    /// Of one that does not answer now: which does, and why.
    var answeredBy: String?
    var reason: String?

    enum CodingKeys: String, CodingKey {
      case id, object, created, tier, reason
      case owner = "owned_by"
      case answeredBy = "answered_by"
    }

    init(_ identity: ModelIdentity, created: Int64) {
      (id, tier) = (identity.name, identity.tier)
      self.created = created
    }
  }

  private struct List: Encodable {
    let object = "list"
    let data: [Model]
  }

  func add(to router: inout Router) {
    // Another may have taken its place.
    @Sendable func known() async -> [Model] {
      let serving = await models.serving
      let own = Model(serving.identity, created: models.started)
      guard let degraded = serving.degraded else { return [own] }
      var meant = Model(models.known(degraded.from), created: models.started)
      (meant.answeredBy, meant.reason) = (serving.identity.name, degraded.reason)
      return [meant, own]
    }
    router.on(.GET, "/v1/models") { _, _ in JSON.response(List(data: await known())) }
    router.on(.GET, "/v1/models/{model}") { _, parameters in
      let models = await known()
      let name = parameters["model"]
      // As requests may name it: the last is the one that answers.
      guard let model = name == "default" ? models.last : models.first(where: { $0.id == name }) else {
        throw ServiceError(.notFound, "there is no such model", parameter: "model", code: "model_not_found")
      }
      return JSON.response(model)
    }
  }
}
