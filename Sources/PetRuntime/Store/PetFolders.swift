// SPDX-License-Identifier: Apache-2.0
/// Folders for persistent files: below `PET_HOME`, else in the XDG base directories.
public struct PetFolders: Sendable, Equatable {
  /// Models.
  public let models: String
  /// Memory, sessions, history of the line editor.
  public let data: String
  /// Catalogs that were added, each with its signature.
  package var catalogs: String { "\(data)/catalogs" }
  /// Keys that the person trusts, and what is known of the catalogs that they sign.
  package var trust: String { "\(data)/trust" }

  /// - Throws: `ModelStoreError.noHome` when neither PET_HOME nor XDG_DATA_HOME nor HOME is an absolute path.
  public init(environment: [String: String]) throws(ModelStoreError) {
    func absolute(_ name: String) -> String? {
      // The XDG specification has relative paths ignored.
      guard let value = environment[name], value.hasPrefix("/") else { return nil }
      return value.count > 1 && value.hasSuffix("/") ? String(value.dropLast()) : value
    }
    if let value = environment["PET_HOME"], !value.isEmpty {
      guard let home = absolute("PET_HOME") else { throw .relativeHome(value) }
      data = home
    } else if let base = absolute("XDG_DATA_HOME") {
      data = "\(base)/pet"
    } else if let home = absolute("HOME") {
      data = "\(home)/.local/share/pet"
    } else {
      throw .noHome
    }
    models = "\(data)/models"
  }
}
