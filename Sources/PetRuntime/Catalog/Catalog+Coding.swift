// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension Catalog: Encodable {
  /// The document.
  struct Content: Codable {
    var version = Catalog.supportedVersion
    var publication: CatalogPublication?
    var models: [CatalogEntry]
  }

  public func encode(to encoder: any Encoder) throws {
    try Content(publication: publication, models: entries).encode(to: encoder)
  }

  private struct VersionOnly: Decodable {
    let version: Int
  }

  static func decode(_ json: Data) throws(CatalogError) -> Content {
    guard json.count <= maximumBytes else { throw .tooLarge(bytes: json.count) }
    do {
      let decoder = JSONDecoder()
      let version = try decoder.decode(VersionOnly.self, from: json).version
      guard version == supportedVersion else { throw CatalogError.unsupportedVersion(version) }
      return try decoder.decode(Content.self, from: json)
    } catch let error as CatalogError {
      throw error
    } catch let error as DecodingError {
      throw .malformed(explain(error))
    } catch {
      throw .malformed("\(error)")
    }
  }

  static func explain(_ error: DecodingError) -> String {
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
