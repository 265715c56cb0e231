// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetRuntime
import Testing

/// A home, a publisher's key, and catalogs signed with it.
struct TrustBench {
  let folder: TemporaryFolder
  let folders: PetFolders
  let key: CatalogKey
  /// 2026-07-01T00:00:00Z
  static let now = Date(timeIntervalSince1970: 1_782_864_000)

  static let builtIn: Catalog? = try? Catalog(json: Data(CatalogText.with([:]).utf8))

  /// - Parameter trusts: whether the person has added the key.
  init(trusts: Bool = true) throws {
    folder = try TemporaryFolder()
    folders = try PetFolders(environment: ["PET_HOME": folder.path + "/home"])
    key = try CatalogSigner.makeKey(folder.path + "/key", comment: "Acme,  models\n")
    if trusts { _ = try TrustStore(folders: folders).add(folder.path + "/key.pub") }
  }

  /// A catalog of one model.
  static func text(
    serial: Int = 1, model: String = "acme-1", name: String = "acme", more: String = "", changes: [String: String] = [:]
  ) -> String {
    CatalogText.with(
      ["name": "\"\(model)\""].merging(changes) { $1 },
      publication: #"{"name": "\#(name)", "serial": \#(serial)\#(more)}"#)
  }

  /// Writes a catalog with its signature; returns its path.
  func sign(_ text: String, key: String = "key", as file: String = "new.json") throws -> String {
    let path = try folder.write(file, text)
    _ = try CatalogSigner.sign(path, key: "\(folder.path)/\(key)", builtIn: #require(Self.builtIn))
    return path
  }

  @discardableResult
  func update(_ path: String, now: Date = now) throws -> CatalogPublication {
    try ModelLibrary.update(path, folders: folders, builtIn: #require(Self.builtIn), now: now)
  }

  func library(now: Date = now) throws -> ModelLibrary {
    ModelLibrary(folders: folders, builtIn: try #require(Self.builtIn), now: now)
  }

  /// Names of the models that count.
  func names(now: Date = now) throws -> [String] { try library(now: now).store.catalog.models.map(\.name) }
}
