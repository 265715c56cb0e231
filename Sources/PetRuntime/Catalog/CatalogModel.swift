// SPDX-License-Identifier: Apache-2.0
/// One model of a catalog at one tier: one file.
public struct CatalogModel: Sendable, Equatable {
  /// Unique among all models and tiers.
  public let name: String
  /// The name that all tiers share: that of the best tier.
  public let family: String
  public let quality: ModelQuality
  public let kind: ModelKind
  /// `general.architecture` of the file.
  package let architecture: String
  /// Number of weights, in all of its files.
  public let parameters: UInt64
  public let description: String
  /// SPDX identifier.
  public let licence: String
  /// Tokens; nil for models that read no text.
  public let context: Int?
  /// The profiles in which it is used where no model is named.
  package let defaultFor: [Profile]
  public let requirements: ModelRequirements
  public let latency: LatencyTargets?
  /// The file as it is kept and loaded.
  package private(set) var file: CatalogFile
  /// Further built-in files of the model, such as the detector in front of a classifier.
  package let parts: [CatalogFile]
  /// Whether the hash was recorded at the first fetch, because the catalog has none.
  package private(set) var isPinned = false
  package let source: ModelSource
  /// What is known of how it was made and what it can do; for people.
  package let card: ModelCard?
  package let origin: CatalogOrigin
  /// Perplexity as measured on this machine; nil: not measured.
  package internal(set) var measurement: ModelMeasurement?

  init(
    _ entry: CatalogEntry, _ file: CatalogTierFile, _ quality: ModelQuality, isBest: Bool, from origin: CatalogOrigin
  ) {
    name = file.knownAs ?? (isBest ? entry.name : "\(entry.name)-\(quality.rawValue)")
    family = entry.name
    self.quality = quality
    kind = entry.kind
    architecture = entry.architecture
    parameters = file.parameters ?? entry.parameters
    description = file.description ?? entry.description
    licence = entry.licence
    context = entry.context
    // Which model answers where none is named is for this program and its owner to say.
    defaultFor = isBest && origin == .builtIn ? entry.defaultFor ?? [] : []
    var requirements = file.requirements ?? entry.requirements
    // Not checked yet: CatalogRules looks at what is made here.
    requirements.size = (file.parts ?? []).reduce(file.bytes) { $0.saturatingAdd($1.bytes) }
    self.requirements = requirements
    latency = entry.latency
    self.file = CatalogFile(name: file.name, bytes: file.bytes, sha256: file.sha256)
    parts = file.parts ?? []
    source = file.source
    card = file.card ?? (isBest ? entry.card : nil)
    self.origin = origin
  }
}

extension CatalogModel {
  /// All that it consists of.
  package var files: [CatalogFile] { [file] + parts }

  /// Takes the file of a separate model from this project's repository into the store.
  package var installCommand: String { "pet models install Models/\(name)/\(file.name) --name \(name)" }

  /// What is thrown where its file is not here: says which command brings it.
  package var absence: ModelStoreError {
    source == .separate ? .notInstalled(name: name, command: installCommand) : .notPulled(name: name)
  }

  /// Whether it was quantized here from a better tier.
  var isMade: Bool { if case .made = source { true } else { false } }

  /// The same with the hash of the first fetch.
  func pinned(_ pin: PinnedFile) -> CatalogModel {
    var copy = self
    copy.file = CatalogFile(name: pin.file, bytes: pin.bytes, sha256: pin.sha256)
    copy.isPinned = true
    return copy
  }
}

/// Which catalog an entry comes from.
public enum CatalogOrigin: Sendable, Equatable, CustomStringConvertible {
  /// This program's.
  case builtIn
  /// The person's own.
  case local
  /// Those of an added catalog, signed by a key that the person trusts.
  case added(catalog: String)

  public var description: String {
    switch self {
    case .builtIn: "this program"
    case .local: "your own models"
    case .added(let catalog): "catalog '\(catalog)'"
    }
  }
}

/// What a model was made of and what it was measured to do, in sentences.
package struct ModelCard: Sendable, Equatable, Codable {
  package let data: String
  package let training: String
  package let figures: String
  package let limits: String
}

/// A file as it is kept and loaded.
package struct CatalogFile: Sendable, Equatable, Codable {
  /// Without folder.
  public let name: String
  /// Exact where the hash is known, else about.
  package let bytes: UInt64
  /// nil where it is not known before the first fetch.
  package let sha256: SHA256Hash?

  package init(name: String, bytes: UInt64, sha256: SHA256Hash?) {
    self.name = name
    self.bytes = bytes
    self.sha256 = sha256
  }
}
