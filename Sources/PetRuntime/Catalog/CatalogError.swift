/// Why a catalog was refused.
public enum CatalogError: Error, Equatable, CustomStringConvertible {
  case malformed(String)
  case unsupportedVersion(Int)
  case invalid(field: String, value: String)
  case duplicate(String)
  case severalDefaults([String])

  public var description: String {
    switch self {
    case .malformed(let reason): "catalog.json: \(reason); compare it with Models/README.md"
    case .unsupportedVersion(let version):
      "catalog.json: version \(version) is not supported (\(Catalog.supportedVersion) is); build a newer pet"
    case .invalid(let field, let value): "catalog.json: '\(field)' cannot be '\(value)'; see Models/README.md"
    case .duplicate(let name): "catalog.json: two models are named '\(name)'; rename one"
    case .severalDefaults(let names):
      "catalog.json: several defaults (\(names.joined(separator: ", "))); keep one"
    }
  }
}
