// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles

/// What this machine knows beyond the catalogs: models that a person installed, and the hashes of files whose catalog gives
/// none. As trusted as the folder of the models, where it lies.
struct LocalCatalog: Sendable, Equatable, Codable {
  private var version = Catalog.supportedVersion
  private(set) var models: [CatalogEntry] = []
  /// By the model's name.
  private(set) var pins: [String: PinnedFile] = [:]
  /// Files that this machine made of better tiers.
  private(set) var made: [MadeTier] = []
  /// By the model's name.
  private(set) var measurements: [String: ModelMeasurement] = [:]

  /// In the folder of the models; no model can have this name.
  static let name = ".local.json"

  private enum CodingKeys: String, CodingKey {
    case version, models, pins, made, measurements
  }

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    version = try container.decode(Int.self, forKey: .version)
    models = try container.decode([CatalogEntry].self, forKey: .models)
    pins = try container.decode([String: PinnedFile].self, forKey: .pins)
    made = try container.decodeIfPresent([MadeTier].self, forKey: .made) ?? []
    measurements = try container.decodeIfPresent([String: ModelMeasurement].self, forKey: .measurements) ?? [:]
  }

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
      try local.made.forEach { try $0.check() }
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
    try encoded().withUnsafeBytes { try OpenFile.replace("\(folder)/\(Self.name)", $0) }
  }

  /// Whether it is the one in the folder: writing it may have failed only in what follows.
  func isWritten(in folder: String) -> Bool {
    guard let encoded = try? encoded(),
      let bytes = try? OpenFile.contents("\(folder)/\(Self.name)", atMost: Catalog.maximumBytes)
    else { return false }
    return Data(bytes) == encoded
  }

  private func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }

  mutating func pin(_ name: String, _ file: PinnedFile) { pins[name] = file }

  mutating func forgetPin(_ name: String) { pins[name] = nil }

  mutating func remove(_ name: String) { models.removeAll { $0.name == name } }

  mutating func add(_ entry: CatalogEntry) {
    remove(entry.name)
    models.append(entry)
  }

  /// Takes the place of a tier that was made of the same model.
  mutating func add(_ tier: MadeTier) {
    forgetTier(tier.quality, of: tier.base)
    made.append(tier)
  }

  mutating func forgetTier(_ quality: ModelQuality, of base: String) {
    made.removeAll { $0.base == base && $0.quality == quality }
  }

  /// Forgets what was made of a model, and what was measured of it and of them.
  /// - Returns: the tiers.
  mutating func forgetTiers(of base: String) -> [MadeTier] {
    measurements[base] = nil
    return forgetTiers(where: { $0.base == base })
  }

  /// Forgets what was made of files that their models no longer have.
  /// - Parameter hash: of the file of the model of that name; nil where it is not known.
  /// - Returns: the tiers.
  mutating func forgetOutdatedTiers(_ hash: (String) -> SHA256Hash?) -> [MadeTier] {
    forgetTiers(where: { tier in
      guard case .made(let source) = tier.file.source, let now = hash(source.base) else { return false }
      return now != source.baseSHA256
    })
  }

  private mutating func forgetTiers(where isForgotten: (MadeTier) -> Bool) -> [MadeTier] {
    let forgotten = made.filter(isForgotten)
    made.removeAll(where: isForgotten)
    for name in forgotten.compactMap(\.file.knownAs) { measurements[name] = nil }
    return forgotten
  }

  mutating func measure(_ name: String, _ measurement: ModelMeasurement?) { measurements[name] = measurement }
}

/// What a file was found to be when it was first fetched.
package struct PinnedFile: Sendable, Equatable, Codable {
  package let file: String
  package let bytes: UInt64
  package let sha256: SHA256Hash
}

/// Why what is known of the person's own models cannot be used.
package enum LocalCatalogError: Error, Equatable, CustomStringConvertible {
  case file(FileError)
  case refused(path: String, CatalogError)

  package var description: String {
    switch self {
    case .file(let error): error.description
    case .refused(let path, let error):
      "\(path): \(error.description.split(separator: ";")[0]); remove it, and install your own models again"
    }
  }
}
