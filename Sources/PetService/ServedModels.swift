// SPDX-License-Identifier: Apache-2.0
import PetEngine
import Synchronization

/// The models that a daemon answers with.
package final class ServedModels: Sendable {
  /// The one that answers where none is named.
  package let language: LazyModel<LanguageModel>
  package let classifiers: Classifiers
  package let runtime: ModelRuntime
  /// Where others lie that could take its place.
  package let store: ModelStore
  /// When the daemon began, in seconds since 1970.
  package let started: Int64
  /// What is being written without a pet.
  package let writings = Writings()
  private let current: Mutex<String>

  package init(
    _ language: LazyModel<LanguageModel>, named name: String, _ classifiers: Classifiers, in runtime: ModelRuntime,
    store: ModelStore, started: Int64
  ) {
    self.language = language
    self.classifiers = classifiers
    self.runtime = runtime
    self.store = store
    self.started = started
    current = Mutex(Self.shown(name))
  }

  /// What clients call it: always the name of what serves.
  package var name: String { current.withLock { $0 } }

  /// Keys and values of all conversations; 0 where no model is loaded.
  var computedBytes: Int {
    get async {
      let bytes = Mutex(0)
      await language.ifLoaded { model in bytes.withLock { $0 = model.cacheByteCount } }
      return bytes.withLock { $0 }
    }
  }

  /// The model that answers, by its name or "default"; by that of a smaller one while that stands in for it.
  /// - Throws: ``ServiceError`` where it is another's name.
  func find(_ name: String?) async throws(ServiceError) -> LazyModel<LanguageModel> {
    let own = self.name
    guard let name, name != own, name != "default" else { return language }
    guard await serving.identity.name != name else { return language }
    throw ServiceError(.notFound, "this petd answers with \(own)", parameter: "model", code: "model_not_found")
  }

  /// What the next request gets.
  package var serving: ServingIdentity {
    get async {
      let facts = await language.facts
      guard facts.stepsDown > 0 else { return ServingIdentity(known(name), standsInFor: nil, reason: nil) }
      return ServingIdentity(known(facts.next), standsInFor: name, reason: facts.reason)
    }
  }

  /// What a loaded model is known by.
  func identity(of model: LanguageModel) -> ModelIdentity { model.knownAs.map(Self.shown) ?? known(name) }

  func known(_ name: String) -> ModelIdentity {
    let model = store.catalog.models.first { $0.name == name }
    return model.map { store.identity(of: store.location(of: $0)) } ?? ModelIdentity(name: Self.shown(name))
  }

  /// The name of a model; of one that is known by the path of its file, that of the file: where it lies is nobody's business.
  private static func shown(_ name: String) -> String {
    name.split(separator: "/").last.map(String.init) ?? name
  }

  private static func shown(_ identity: ModelIdentity) -> ModelIdentity {
    ModelIdentity(name: shown(identity.name), tier: identity.tier)
  }

  /// Puts what a configuration means in the place of what serves, once it was tried; replies under way end on the old one.
  /// - Throws: `ModelStoreError`, `FileError`; as `LazyModel.install(_:selfTest:)`: the old one then serves on.
  package func install(_ configuration: Configuration, kernelVariant: KernelVariant? = nil) async throws {
    let selection = try store.select(configuration)
    var options = LanguageModel.LoadOptions(configuration, kernelVariant: kernelVariant)
    options.observer = runtime.requestObserver(for: language.name)
    let identity = store.identity(of: selection.location)
    options.identity = identity
    var loader = try ModelLoader.language(selection.location, options)
    let name = Self.shown(identity).name
    // It may come to serve though whoever asked for it has gone: others wait for it.
    loader.isAnotherModel = true
    loader.onAdopt = { [weak self] in self?.rename(name) }
    try await language.install(loader) { model in
      _ = try await model.complete("Hello", .greedy(maximumTokens: 1))
    }
  }

  private func rename(_ name: String) { current.withLock { $0 = name } }
}
