import PetRuntime

/// One model as `--json` prints it.
struct ModelReport: Encodable {
  let name: String
  let kind: String
  let architecture: String
  let parameters: UInt64
  let description: String
  let licence: String
  let context: Int
  let bytes: UInt64
  let sha256: String
  /// Profiles.
  let defaultFor: [String]
  let card: ModelCard?
  let state: String
  /// Where the file is; null while it is not.
  let path: String?
  /// Why it is damaged; null when it is not.
  let problem: String?
  let source: ModelSource

  enum CodingKeys: String, CodingKey {
    case name, kind, architecture, parameters, description, licence, context, bytes, sha256
    case state, path, problem, source, card
    case defaultFor = "default_for"
  }

  init(_ model: CatalogModel, state: ModelState, in store: ModelStore) {
    name = model.name
    kind = model.kind.rawValue
    architecture = model.architecture
    parameters = model.parameters
    description = model.description
    licence = model.licence
    context = model.context
    bytes = model.file.bytes
    sha256 = model.file.sha256.description
    defaultFor = model.defaultFor.map(\.rawValue)
    card = model.card
    self.state = state.name
    path = state == .absent ? nil : store.location(of: model).description
    if case .damaged(let error) = state { problem = error.description } else { problem = nil }
    source = model.source
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(kind, forKey: .kind)
    try container.encode(architecture, forKey: .architecture)
    try container.encode(parameters, forKey: .parameters)
    try container.encode(description, forKey: .description)
    try container.encode(licence, forKey: .licence)
    try container.encode(context, forKey: .context)
    try container.encode(bytes, forKey: .bytes)
    try container.encode(sha256, forKey: .sha256)
    try container.encode(defaultFor, forKey: .defaultFor)
    try container.encode(state, forKey: .state)
    // Null rather than missing: programs can rely on the keys.
    try container.encode(path, forKey: .path)
    try container.encode(problem, forKey: .problem)
    try container.encode(source, forKey: .source)
    try container.encode(card, forKey: .card)
  }
}

extension ModelStore {
  /// The store that the environment asks for, with the catalog of this build.
  static func current() throws -> ModelStore {
    try ModelStore(environment: ProcessEnvironment.current, catalog: try Catalog.builtIn())
  }
}
