import FoundationEssentials

/// What this machine knows beyond the catalogs: models that a person installed, and the hashes of files whose catalog gives
/// none. As trusted as the folder of the models, where it lies.
struct LocalCatalog: Sendable, Equatable, Codable {
  private var version = Catalog.supportedVersion
  private(set) var models: [CatalogEntry] = []
  /// By the model's name.
  private(set) var pins: [String: PinnedFile] = [:]

  /// In the folder of the models; no model can have this name.
  static let name = ".local.json"

  /// Reads the one in the folder; where there is none, an empty one.
  /// - Throws: `LocalCatalogError`.
  static func read(in folder: String) throws(LocalCatalogError) -> LocalCatalog {
    let path = "\(folder)/\(name)"
    do {
      guard let bytes = try OpenFile.contents(path, atMost: Catalog.maximumBytes) else { return LocalCatalog() }
      let local = try JSONDecoder().decode(LocalCatalog.self, from: Data(bytes))
      guard local.version == Catalog.supportedVersion else {
        throw CatalogError.unsupportedVersion(local.version)
      }
      _ = try local.catalog()
      return local
    } catch let error as FileError {
      throw .file(error)
    } catch let error as DecodingError {
      throw .refused(path: path, .malformed(Catalog.explain(error)))
    } catch {
      throw .refused(path: path, error as? CatalogError ?? .malformed("\(error)"))
    }
  }

  /// The person's own models.
  func catalog() throws(CatalogError) -> Catalog { try Catalog(models, nil, .local) }

  /// Takes the place of the one in the folder, whole or not at all. Only who holds the store's lock may write.
  func write(in folder: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try encoder.encode(self).withUnsafeBytes { try OpenFile.replace("\(folder)/\(Self.name)", $0) }
  }

  mutating func pin(_ name: String, _ file: PinnedFile) { pins[name] = file }

  mutating func forgetPin(_ name: String) { pins[name] = nil }

  mutating func remove(_ name: String) { models.removeAll { $0.name == name } }

  mutating func add(_ entry: CatalogEntry) {
    remove(entry.name)
    models.append(entry)
  }
}

/// What a file was found to be when it was first fetched.
public struct PinnedFile: Sendable, Equatable, Codable {
  public let file: String
  public let bytes: UInt64
  public let sha256: SHA256Hash
}

/// Why what is known of the person's own models cannot be used.
public enum LocalCatalogError: Error, Equatable, CustomStringConvertible {
  case file(FileError)
  case refused(path: String, CatalogError)

  public var description: String {
    switch self {
    case .file(let error): error.description
    case .refused(let path, let error):
      "\(path): \(error.description.split(separator: ";")[0]); remove it, and install your own models again"
    }
  }
}
