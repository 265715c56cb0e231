import PetEngine

/// The models that a daemon answers with.
package struct ServedModels: Sendable {
  /// The one that answers where none is named.
  package let language: LazyModel<LanguageModel>
  /// What clients call it.
  package let name: String
  package let runtime: ModelRuntime
  /// When the daemon began, in seconds since 1970.
  package let started: Int64

  package init(_ language: LazyModel<LanguageModel>, named name: String, in runtime: ModelRuntime, started: Int64) {
    self.language = language
    self.name = name
    self.runtime = runtime
    self.started = started
  }

  /// - Throws: ``ServiceError`` where it is another's name.
  func find(_ name: String?) throws(ServiceError) -> LazyModel<LanguageModel> {
    guard let name, name != self.name, name != "default" else { return language }
    throw ServiceError(
      .notFound, "this petd answers with \(self.name)", parameter: "model", code: "model_not_found")
  }
}
