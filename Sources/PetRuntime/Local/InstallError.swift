// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// Why a model was not installed, or not removed. The store is as it was then.
package enum InstallError: Error, Equatable, CustomStringConvertible {
  case file(FileError)
  case local(LocalCatalogError)
  case invalidName(String)
  case taken(String, by: CatalogOrigin)
  case tier(String, of: String)
  case refused(path: String, reason: String)
  case cannotLink(path: String)
  case notEnoughSpace(path: String, needed: UInt64, available: UInt64)
  case builtIn(String)

  package var description: String {
    switch self {
    case .file(let error): error.description
    case .local(let error): error.description
    case .invalidName(let name):
      "'\(name)' is not a name: lower-case letters, digits, '.', '_', '-', the first a letter or digit, at most 64; "
        + "give another with --name"
    case .taken(let name, by: .local):
      "the name '\(name)' is taken by a model of your own; give --replace, or another --name"
    case .taken(let name, let origin): "the name '\(name)' is taken by \(origin); give another with --name"
    case .tier(let name, let base): "the name '\(name)' is that of a tier made of \(base); give another with --name"
    case .refused(let path, let reason): "\(path): cannot be used: \(reason)"
    case .cannotLink(let path):
      "\(path): no second name can be given to it in the folder of the models; leave out --link, and it is copied"
    case .notEnoughSpace(let path, let needed, let available):
      "\(path): \(needed) bytes are needed and \(available) are free; free some space or set PET_HOME elsewhere"
    case .builtIn(let name): "model '\(name)' is part of this program and cannot be removed; leave it"
    }
  }
}
