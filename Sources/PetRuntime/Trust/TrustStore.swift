// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles

/// The keys that a person trusts: files `ID.pub` in a folder.
package struct TrustStore: Sendable {
  let folder: String

  package init(folders: PetFolders) { folder = folders.trust }

  /// Larger than any key.
  private static let limit = 4096

  /// Those that are trusted, by id. Files that are none are not looked at.
  package func keys() -> [CatalogKey] {
    Folder.names(in: folder).compactMap { name in
      guard name.hasSuffix(".pub"), let text = try? Self.text("\(folder)/\(name)"), let key = CatalogKey(text: text)
      else { return nil }
      // A file that was put there under another name was added by nobody.
      return name == "\(key.id).pub" ? key : nil
    }
  }

  /// Trusts the key in this file.
  /// - Throws: `TrustError`.
  package func add(_ path: String) throws(TrustError) -> CatalogKey {
    guard let text = try Self.text(path) else { throw .noSuchFile(path: path) }
    if CatalogSigningKey(text: text) != nil { throw .privateKey(path: path) }
    guard let key = CatalogKey(text: text) else { throw .noKey(path: path) }
    do throws(FileError) {
      try Folder.create(folder)
      try OpenFile.replace("\(folder)/\(key.id).pub", text: key.text)
    } catch {
      throw .file(error)
    }
    return key
  }

  /// Trusts it no longer: what it signed does not count from now on.
  /// - Parameter id: the key's id, or at least 4 digits of its beginning.
  package func remove(_ id: String) throws(TrustError) -> CatalogKey {
    let found = keys().filter { $0.id.hasPrefix(id.lowercased()) }
    guard id.utf8.count >= 4, found.count == 1, let key = found.first else { throw .unknownKey(id) }
    let path = "\(folder)/\(key.id).pub"
    guard unlink(path) == 0 else { throw .file(FileError(path: path, operation: "remove", code: errno)) }
    return key
  }

  /// Checks that these bytes are what the owner of a trusted key signed.
  /// - Parameter path: of the catalog; its signatures lie beside it, and one that is right will do.
  func check(_ content: [UInt8], at path: String) throws(TrustError) -> (key: CatalogKey, signature: CatalogSignature) {
    guard let text = try Self.text(path + ".sig") else { throw .noSignature(path: path) }
    guard let signatures = CatalogSignature.all(in: text), let last = signatures.last else {
      throw .malformedSignature(path: path)
    }
    let keys = keys()
    var problem = TrustError.untrusted(path: path, key: last.key)
    for signature in signatures {
      guard let key = keys.first(where: { $0.id == signature.key }) else { continue }
      if key.isValid(signature.bytes, for: content) { return (key, signature) }
      problem = .wrongSignature(path: path, key: key.id)
    }
    throw problem
  }

  static func text(_ path: String) throws(TrustError) -> String? {
    do throws(FileError) {
      return try OpenFile.contents(path, atMost: limit).map { String(decoding: $0, as: UTF8.self) }
    } catch {
      throw .file(error)
    }
  }
}
