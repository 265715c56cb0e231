// SPDX-License-Identifier: Apache-2.0
/// A model as a catalog writes it: what holds for all of its tiers, and a file for each.
struct CatalogEntry: Sendable, Equatable, Codable {
  let name: String
  let kind: ModelKind
  let architecture: String
  let parameters: UInt64
  let description: String
  let licence: String
  let context: Int?
  var defaultFor: [Profile]?
  let requirements: ModelRequirements
  var latency: LatencyTargets?
  var files: CatalogTiers
  var card: ModelCard?

  enum CodingKeys: String, CodingKey {
    case name, kind, architecture, parameters, description, licence, context, requirements, files, card
    case defaultFor = "default_for"
    case latency = "latency_ms"
  }

  /// Its files, the best first.
  func variants(from origin: CatalogOrigin) -> [CatalogModel] {
    var variants: [CatalogModel] = []
    for quality in ModelQuality.allCases {
      guard case .file(let file) = files[quality] else { continue }
      variants.append(CatalogModel(self, file, quality, isBest: variants.isEmpty, from: origin))
    }
    return variants
  }
}

/// What stands for each tier, at least for one.
struct CatalogTiers: Sendable, Equatable, Codable {
  private var high: Tier?
  private var medium: Tier?
  private var low: Tier?

  enum Tier: Sendable, Equatable {
    case file(CatalogTierFile)
    /// Another model of that name takes the place.
    case model(String)
  }

  init(_ file: CatalogTierFile, as quality: ModelQuality) {
    switch quality {
    case .high: high = .file(file)
    case .medium: medium = .file(file)
    case .low: low = .file(file)
    }
  }

  subscript(quality: ModelQuality) -> Tier? {
    switch quality {
    case .high: high
    case .medium: medium
    case .low: low
    }
  }

  /// Where nothing stands for that tier yet.
  mutating func add(_ file: CatalogTierFile, as quality: ModelQuality) {
    switch quality {
    case .high: high = high ?? .file(file)
    case .medium: medium = medium ?? .file(file)
    case .low: low = low ?? .file(file)
    }
  }
}

/// A file as a catalog writes it, with what is not as in the other tiers.
struct CatalogTierFile: Sendable, Equatable, Codable {
  let name: String
  let bytes: UInt64
  var sha256: SHA256Hash?
  let source: ModelSource
  /// Other files of this program without which it is not whole.
  var parts: [CatalogFile]?
  /// Its name on the command line.
  var knownAs: String?
  var parameters: UInt64?
  var description: String?
  var requirements: ModelRequirements?
  var card: ModelCard?

  enum CodingKeys: String, CodingKey {
    case name, bytes, sha256, source, parts, parameters, description, requirements, card
    case knownAs = "known_as"
  }
}

extension CatalogTiers.Tier: Codable {
  private enum Keys: String, CodingKey {
    case model
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    if let name = try container.decodeIfPresent(String.self, forKey: .model) {
      self = .model(name)
    } else {
      self = .file(try CatalogTierFile(from: decoder))
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .file(let file): try file.encode(to: encoder)
    case .model(let name):
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(name, forKey: .model)
    }
  }
}
