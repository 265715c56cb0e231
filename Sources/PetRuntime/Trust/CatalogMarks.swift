// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles

/// The newest version that was seen of each added catalog, and who signed it: kept when the catalog goes, so that an older one
/// cannot come back.
struct CatalogMarks: Sendable, Equatable, Codable {
  struct Mark: Sendable, Equatable, Codable {
    var serial: UInt64
    /// Id.
    var key: String
  }

  private(set) var catalogs: [String: Mark] = [:]

  private static let name = "catalogs.json"

  static func read(in folder: String) throws(TrustError) -> CatalogMarks {
    let path = "\(folder)/\(name)"
    do {
      guard let bytes = try OpenFile.contents(path, atMost: 1 << 20) else { return CatalogMarks() }
      return try JSONDecoder().decode(CatalogMarks.self, from: Data(bytes))
    } catch let error as FileError {
      throw .file(error)
    } catch {
      throw .marks(path: path)
    }
  }

  func write(in folder: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(self).withUnsafeBytes { try OpenFile.replace("\(folder)/\(Self.name)", $0) }
  }

  mutating func set(_ name: String, _ mark: Mark) { catalogs[name] = mark }

  /// Whether a catalog that is found here counts: the one that was seen last, or one that is newer.
  func check(_ added: AddedCatalog, at path: String) throws(TrustError) {
    guard let mark = catalogs[added.publication.name] else { return }
    guard mark.key == added.key.id else { throw .otherKey(path: path, key: added.key.id, known: mark.key) }
    guard added.publication.serial >= mark.serial else {
      throw .replayed(path: path, serial: added.publication.serial, known: mark.serial)
    }
  }

  /// Whether a catalog may be installed: it is newer, and by the same hand as long as that is trusted.
  func checkUpdate(_ added: AddedCatalog, at path: String, trusted: [CatalogKey]) throws(TrustError) {
    guard let mark = catalogs[added.publication.name] else { return }
    guard mark.key == added.key.id || !trusted.contains(where: { $0.id == mark.key }) else {
      throw .otherKey(path: path, key: added.key.id, known: mark.key)
    }
    guard added.publication.serial > mark.serial else {
      throw .replayed(path: path, serial: added.publication.serial, known: mark.serial)
    }
  }
}
