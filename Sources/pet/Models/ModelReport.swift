// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// One model as `--json` prints it.
struct ModelReport: Encodable {
  let model: CatalogModel
  let state: ModelState
  /// Where the file is, or would be.
  let location: ModelLocation
  /// Why a file that is sound could not be loaded; nil where that is not so, or was not looked at.
  private let refusal: String?

  init(_ model: CatalogModel, state: ModelState, in store: ModelStore, refusal: String? = nil) {
    self.refusal = refusal
    self.model = model
    self.state = state
    location = store.location(of: model)
  }

  /// Where the file is; nil while it is not.
  var path: String? { state == .absent ? nil : location.description }

  /// Why it is damaged, or could not be loaded; nil when it is sound.
  var problem: String? {
    if case .damaged(let error) = state { error.description } else { refusal }
  }

  enum CodingKeys: String, CodingKey {
    case name, kind, architecture, parameters, description, licence, context, bytes, sha256
    case state, path, problem, source, parts, card, family, tier, origin, requirements, pinned, measurement
    case defaultFor = "default_for"
    case latency = "latency_ms"
  }

  /// Null rather than missing: programs can rely on the keys.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(model.name, forKey: .name)
    try container.encode(model.family, forKey: .family)
    try container.encode(model.quality, forKey: .tier)
    try container.encode(model.kind, forKey: .kind)
    try container.encode(model.architecture, forKey: .architecture)
    try container.encode(model.parameters, forKey: .parameters)
    try container.encode(model.description, forKey: .description)
    try container.encode(model.licence, forKey: .licence)
    try container.encode(model.context, forKey: .context)
    try container.encode(model.file.bytes, forKey: .bytes)
    try container.encode(model.file.sha256, forKey: .sha256)
    try container.encode(model.isPinned, forKey: .pinned)
    try container.encode(model.defaultFor, forKey: .defaultFor)
    try container.encode(model.requirements, forKey: .requirements)
    try container.encode(model.latency, forKey: .latency)
    try container.encode(state.name, forKey: .state)
    try container.encode(path, forKey: .path)
    try container.encode(problem, forKey: .problem)
    try container.encode(model.source, forKey: .source)
    try container.encode(model.parts, forKey: .parts)
    try container.encode(model.origin.description, forKey: .origin)
    try container.encode(model.card, forKey: .card)
    try container.encode(model.measurement, forKey: .measurement)
  }
}
