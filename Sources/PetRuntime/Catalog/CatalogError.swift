// SPDX-License-Identifier: Apache-2.0
import PetText

/// Why a catalog was refused.
public enum CatalogError: Error, Equatable, CustomStringConvertible {
  case malformed(String)
  case tooLarge(bytes: Int)
  case unsupportedVersion(Int)
  case invalid(field: String, value: String)
  case duplicate(String)
  case severalDefaults([String])
  /// Another catalog has a model of that name.
  case taken(String, by: CatalogOrigin)

  /// One line: names are those of the file.
  public var description: String { message.oneLine }

  private var message: String {
    switch self {
    case .malformed(let reason): "catalog: \(reason); compare it with Models/README.md"
    case .tooLarge(let bytes):
      "catalog: \(bytes) bytes; at most \(Catalog.maximumBytes) are read: give a catalog"
    case .unsupportedVersion(let version):
      "catalog: version \(version) is not supported (\(Catalog.supportedVersion) is); "
        + (version > Catalog.supportedVersion ? "build a newer pet" : "write it anew by Models/README.md")
    case .invalid(let field, let value): "catalog: '\(field)' cannot be '\(value)'; see Models/README.md"
    case .duplicate(let name): "catalog: two models are named '\(name)'; rename one"
    case .severalDefaults(let names):
      "catalog: several defaults (\(names.joined(separator: ", "))); keep one"
    case .taken(let name, let origin):
      "catalog: the name '\(name)' is taken by \(origin) and cannot mean anything else; rename the model"
    }
  }
}
