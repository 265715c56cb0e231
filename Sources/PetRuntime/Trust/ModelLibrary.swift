// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles

/// Every catalog that counts here, as one: this program's, the person's own models, and added ones, in this order. No name
/// ever means something else than in the catalog before: one that would is left out whole.
package struct ModelLibrary: Sendable {
  package let store: ModelStore
  /// Why catalogs that are here do not count.
  package let refusals: [any Error & Sendable & CustomStringConvertible]

  /// Reads what there is. A catalog that is refused is no reason not to start.
  /// - Parameter now: what the clock says.
  package init(folders: PetFolders, builtIn: Catalog, now: Date) {
    var catalog = builtIn
    var refusals: [any Error & Sendable & CustomStringConvertible] = []
    var local = LocalCatalog()
    do throws(LocalCatalogError) {
      local = try LocalCatalog.read(in: folders.models)
      do {
        catalog = try catalog.joined(with: local.catalog())
      } catch {
        throw .refused(path: "\(folders.models)/\(LocalCatalog.name)", error)
      }
      catalog = catalog.pinned(local.pins)
    } catch {
      local = LocalCatalog()
      refusals.append(error)
    }
    let trust = TrustStore(folders: folders)
    for name in Folder.names(in: folders.catalogs) where name.hasSuffix(".json") && !name.hasPrefix(".") {
      do throws(TrustError) {
        catalog = try Self.join(catalog, "\(folders.catalogs)/\(name)", trust, now: now)
      } catch {
        refusals.append(error)
      }
    }
    // Last, because what is made here is made of any catalog's models.
    catalog = catalog.completed(with: local.made).measured(local.measurements)
    store = ModelStore(folder: folders.models, catalog: catalog)
    self.refusals = refusals
  }

  private static func join(
    _ catalog: Catalog, _ path: String, _ trust: TrustStore, now: Date
  ) throws(TrustError) -> Catalog {
    let added = try AddedCatalog(path, trust, now: now)
    guard path.hasSuffix("/\(added.publication.name).json") else {
      throw .wrongName(path: path, name: added.publication.name)
    }
    try CatalogMarks.read(in: trust.folder).check(added, at: path)
    do {
      return try catalog.joined(with: added.catalog)
    } catch {
      throw .catalog(path: path, error)
    }
  }

  /// Installs a catalog, or a newer version of one, with the signature that lies beside it.
  /// - Throws: `TrustError`; nothing has changed then.
  package static func update(
    _ path: String, folders: PetFolders, builtIn: Catalog, now: Date
  ) throws -> CatalogPublication {
    do {
      try Folder.create(folders.catalogs)
      try Folder.create(folders.trust)
      return try FileLock.holding("\(folders.trust)/.lock", waiting: {}) {
        try updateAlone(path, folders, builtIn, now: now)
      }
    } catch let error as FileError {
      throw TrustError.file(error)
    }
  }

  private static func updateAlone(
    _ path: String, _ folders: PetFolders, _ builtIn: Catalog, now: Date
  ) throws -> CatalogPublication {
    let trust = TrustStore(folders: folders)
    let added = try AddedCatalog(path, trust, now: now)
    let name = added.publication.name
    var marks = try CatalogMarks.read(in: trust.folder)
    try marks.checkUpdate(added, at: path, trusted: trust.keys())
    let target = "\(folders.catalogs)/\(name).json"
    // Against all the others: the older version of itself makes place.
    var others = ModelLibrary(folders: folders, builtIn: builtIn, now: now).store.catalog
    others.remove(.added(catalog: name))
    do {
      _ = try others.joined(with: added.catalog)
    } catch {
      throw TrustError.catalog(path: path, error)
    }
    // However this is cut short, the catalog that is here has its signature: for a moment there are two.
    // The one that fits it: an update that failed has left its own beside that.
    let earlier = (try? trust.check(AddedCatalog.content(of: target), at: target))?.signature
    for texts in [[earlier, added.signature], [added.signature]] {
      try OpenFile.replace("\(target).sig", text: texts.compactMap { $0?.text }.joined())
      if texts.count == 2 { try added.content.withUnsafeBytes { try OpenFile.replace(target, $0) } }
    }
    marks.set(name, .init(serial: added.publication.serial, key: added.key.id))
    try marks.write(in: trust.folder)
    return added.publication
  }
}
