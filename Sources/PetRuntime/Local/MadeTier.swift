// SPDX-License-Identifier: Apache-2.0
/// A tier that this machine made of a better one.
struct MadeTier: Sendable, Equatable, Codable {
  let quality: ModelQuality
  let file: CatalogTierFile

  /// Name of the model that it was made of.
  var base: String { if case .made(let source) = file.source { source.base } else { "" } }

  /// - Throws: `CatalogError` for what could not have been made here; names become paths.
  func check() throws(CatalogError) {
    guard case .made = file.source else { throw .invalid(field: "made.source.type", value: file.source.type) }
    guard Catalog.isFileName(file.name) else { throw .invalid(field: "made.name", value: file.name) }
    guard (1...CatalogRules.byteLimit).contains(file.bytes) else {
      throw .invalid(field: "made.bytes", value: "\(file.bytes)")
    }
    guard file.sha256 != nil else { throw .invalid(field: "made.sha256", value: "null") }
    if let part = file.parts?.first { throw .invalid(field: "made.parts", value: part.name) }
    guard let name = file.knownAs, Catalog.isName(name) else {
      throw .invalid(field: "made.known_as", value: file.knownAs ?? "null")
    }
  }
}
