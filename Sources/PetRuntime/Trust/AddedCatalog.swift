// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles

/// A catalog from outside, whose signature was found right.
struct AddedCatalog: Sendable {
  let catalog: Catalog
  let publication: CatalogPublication
  let key: CatalogKey
  let signature: CatalogSignature
  let content: [UInt8]

  /// Reads a catalog and everything that makes it count but the serial number.
  ///
  /// The signature comes first: nothing is made of bytes that nobody vouches for.
  /// - Throws: `TrustError`.
  init(_ path: String, _ trust: TrustStore, now: Date) throws(TrustError) {
    content = try Self.content(of: path)
    (key, signature) = try trust.check(content, at: path)
    (catalog, publication) = try Self.decode(content, at: path)
    if let since = publication.notBefore, now < since { throw .notYet(path: path, since: since, now: now) }
    if let until = publication.notAfter, now > until { throw .expired(path: path, until: until, now: now) }
  }

  static func content(of path: String) throws(TrustError) -> [UInt8] {
    do {
      guard let content = try OpenFile.contents(path, atMost: Catalog.maximumBytes) else {
        throw TrustError.noSuchFile(path: path)
      }
      return content
    } catch let error as FileError {
      throw .file(error)
    } catch {
      throw error as? TrustError ?? .noSuchFile(path: path)
    }
  }

  static func decode(
    _ content: [UInt8], at path: String
  ) throws(TrustError) -> (catalog: Catalog, publication: CatalogPublication) {
    do {
      let head = try Catalog.decode(Data(content))
      guard let publication = head.publication else { throw TrustError.unpublished(path: path) }
      guard Catalog.isName(publication.name) else {
        throw CatalogError.invalid(field: "publication.name", value: publication.name)
      }
      return (try Catalog(head.models, publication, .added(catalog: publication.name)), publication)
    } catch let error as CatalogError {
      throw .catalog(path: path, error)
    } catch {
      throw error as? TrustError ?? .unpublished(path: path)
    }
  }
}
