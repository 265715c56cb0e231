// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles

/// Why a key or a catalog from outside was refused. Nothing has changed then.
package enum TrustError: Error, Equatable, CustomStringConvertible {
  case file(FileError)
  case noKey(path: String)
  /// The private half was given where the public one is meant.
  case privateKey(path: String)
  case noPrivateKey(path: String)
  case readableByOthers(path: String)
  case exists(path: String)
  case unknownKey(String)
  case noSuchFile(path: String)
  case noSignature(path: String)
  case malformedSignature(path: String)
  case untrusted(path: String, key: String)
  /// The content is not what the key's owner signed.
  case wrongSignature(path: String, key: String)
  case catalog(path: String, CatalogError)
  /// It does not say which it is.
  case unpublished(path: String)
  case wrongName(path: String, name: String)
  case replayed(path: String, serial: UInt64, known: UInt64)
  case otherKey(path: String, key: String, known: String)
  case notYet(path: String, since: Date, now: Date)
  case expired(path: String, until: Date, now: Date)
  case marks(path: String)

  package var description: String {
    switch self {
    case .file(let error): error.description
    case .noKey(let path): "\(path): not a public key; give the .pub file that `pet models keygen` made"
    case .privateKey(let path): "\(path): this is the private key, which nobody else may have; give \(path).pub"
    case .noPrivateKey(let path): "\(path): not a private key; make one: pet models keygen FILE"
    case .readableByOthers(let path): "\(path): others can read this private key; run: chmod 600 \(path)"
    case .exists(let path): "\(path): is there already, and a key that is lost is lost; give another name"
    case .unknownKey(let id): "key '\(id)': no such key is trusted, or several begin so; see: pet models trust list"
    case .noSuchFile(let path): "\(path.isEmpty ? "''" : path): no such file; check the path"
    case .noSignature(let path):
      "\(path): there is no \(path).sig beside it, and unsigned catalogs do not count; get it too"
    case .malformedSignature(let path): "\(path).sig: not a signature of `pet models sign`; get it again"
    case .untrusted(let path, let key):
      "\(path): signed by key \(key), which you have not added; if you trust its owner: pet models trust add KEYFILE"
    case .wrongSignature(let path, let key):
      "\(path): not what the owner of key \(key) signed; get the catalog and its .sig again"
    case .catalog(let path, let error): "\(path): \(error)"
    case .unpublished(let path):
      "\(path): 'publication' with a name and a serial number is missing; see Models/README.md"
    case .wrongName(let path, let name): "\(path): this is catalog '\(name)'; install it with: pet models update FILE"
    case .replayed(let path, let serial, let known):
      "\(path): serial \(serial) is not newer than \(known), which was here before; get the newest"
    case .otherKey(let path, let key, let known):
      "\(path): signed by key \(key), and until now by \(known); if it changed hands: pet models trust remove \(known)"
    case .notYet(let path, let since, let now):
      "\(path): counts from \(Self.text(since)) on, and this clock says \(Self.text(now)); set the clock, or wait"
    case .expired(let path, let until, let now):
      "\(path): counted until \(Self.text(until)), and this clock says \(Self.text(now)); get a newer one, or set the clock"
    case .marks(let path): "\(path): not readable as JSON; remove it, and add the catalogs again"
    }
  }

  private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
