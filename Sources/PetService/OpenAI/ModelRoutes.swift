import NIOHTTP1
import PetEngine

/// `GET /v1/models`: https://platform.openai.com/docs/api-reference/models
struct ModelRoutes: Sendable {
  let models: ServedModels

  private struct Model: Encodable {
    let id: String
    let object = "model"
    let created: Int64
    let owner = "pet"

    enum CodingKeys: String, CodingKey {
      case id, object, created
      case owner = "owned_by"
    }
  }

  private struct List: Encodable {
    let object = "list"
    let data: [Model]
  }

  func add(to router: inout Router) {
    // Another may have taken its place.
    @Sendable func known() -> [Model] { [Model(id: models.name, created: models.started)] }
    router.on(.GET, "/v1/models") { _, _ in JSON.response(List(data: known())) }
    router.on(.GET, "/v1/models/{model}") { _, parameters in
      guard let model = known().first(where: { $0.id == parameters["model"] }) else {
        throw ServiceError(.notFound, "there is no such model", parameter: "model", code: "model_not_found")
      }
      return JSON.response(model)
    }
  }
}
