import FoundationEssentials

/// The models that are known, with their sizes, hashes and sources. Schema: `Models/README.md`.
public struct Catalog: Sendable, Equatable, Codable {
  /// The only schema version that is understood.
  public static let supportedVersion = 1

  public let version: Int
  public let models: [CatalogModel]

  /// Decodes and checks a catalog.
  /// - Throws: `CatalogError`.
  public init(json: Data) throws(CatalogError) {
    do {
      let decoder = JSONDecoder()
      let version = try decoder.decode(VersionOnly.self, from: json).version
      guard version == Self.supportedVersion else { throw CatalogError.unsupportedVersion(version) }
      self = try decoder.decode(Catalog.self, from: json)
    } catch let error as CatalogError {
      throw error
    } catch let error as DecodingError {
      throw CatalogError.malformed(Self.explain(error))
    } catch {
      throw CatalogError.malformed("\(error)")
    }
    try validate()
  }

  /// The catalog that is part of this build.
  public static func builtIn() throws(CatalogError) -> Catalog {
    try Catalog(json: Data(PackageResources.catalog_json))
  }

  /// The model of this name, or nil.
  public func model(named name: String) -> CatalogModel? {
    models.first { $0.name == name }
  }

  /// What is meant where no model is named.
  public func defaultModel(for profile: Profile = .phone) -> CatalogModel? {
    models.first { $0.defaultFor.contains(profile) }
  }

  private struct VersionOnly: Decodable {
    let version: Int
  }

  private static func explain(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context): "'\(path(context.codingPath + [key]))' is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "'\(path(context.codingPath))' has the wrong type"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "not JSON, or a number that does not fit" : "'\(path(context.codingPath))': \(context.debugDescription)"
    @unknown default: "unreadable"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.map { key in key.intValue.map(String.init) ?? key.stringValue }.joined(separator: ".")
  }
}
