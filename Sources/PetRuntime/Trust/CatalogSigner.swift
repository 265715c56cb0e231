// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles
import PetText

/// What a publisher of catalogs does: make a key, sign.
package enum CatalogSigner {
  /// Makes a key: `path`, for its owner's eyes only, and `path.pub` for everybody.
  /// - Throws: `TrustError`.
  package static func makeKey(_ path: String, comment: String) throws(TrustError) -> CatalogKey {
    let key = CatalogSigningKey()
    let publicKey = key.publicKey(comment: comment.singleSpaced)
    // Mode 0600, and never over a file that is there.
    try create(path, key.text)
    do throws(TrustError) {
      try create("\(path).pub", publicKey.text)
    } catch {
      // Half of a pair is of no use, and would be in the way of the next try.
      unlink(path)
      throw error
    }
    return publicKey
  }

  private static func create(_ path: String, _ text: String) throws(TrustError) {
    do throws(FileError) {
      try OpenFile.create(path, text: text)
    } catch {
      throw error.code == EEXIST ? .exists(path: path) : .file(error)
    }
  }

  /// Signs a catalog, which is checked first: nobody could install a wrong one.
  /// - Returns: the path of the signature: `catalog.sig`.
  /// - Throws: `TrustError`.
  package static func sign(_ path: String, key keyPath: String, builtIn: Catalog) throws -> String {
    guard let text = try TrustStore.text(keyPath) else { throw TrustError.noSuchFile(path: keyPath) }
    guard let key = CatalogSigningKey(text: text) else { throw TrustError.noPrivateKey(path: keyPath) }
    guard FilePath.isPrivate(keyPath) else { throw TrustError.readableByOthers(path: keyPath) }
    let content = try AddedCatalog.content(of: path)
    let catalog = try AddedCatalog.decode(content, at: path).catalog
    do {
      _ = try builtIn.joined(with: catalog)
    } catch {
      throw TrustError.catalog(path: path, error)
    }
    do {
      try OpenFile.replace("\(path).sig", text: key.signature(of: content).text)
    } catch let error as FileError {
      throw TrustError.file(error)
    }
    return "\(path).sig"
  }
}
