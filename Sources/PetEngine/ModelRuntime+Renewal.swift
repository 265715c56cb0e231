// SPDX-License-Identifier: Apache-2.0
extension ModelRuntime {
  /// Puts the model that a configuration means in the place of one that stands in for it, if it has come meanwhile: uses that run
  /// end on the old one.
  /// - Parameters:
  ///   - model: as of ``addLanguageModel(_:in:kernelVariant:)``, with how it was chosen.
  ///   - kernelVariant: the same as then.
  /// - Returns: how it is chosen now; nil: as before.
  /// - Throws: `ModelStoreError`, `FileError`, and what `LazyModel.install(_:selfTest:)` throws; the old one then stays.
  package func renew(
    _ model: LazyModel<LanguageModel>, chosen before: ModelSelection, _ configuration: Configuration,
    in store: ModelStore, kernelVariant: KernelVariant? = nil
  ) async throws -> ModelSelection? {
    let chosen = try languageModel(configuration, in: store, kernelVariant: kernelVariant, as: model.name)
    guard chosen.selection.location != before.location else { return nil }
    try await model.install(chosen.loader)
    performance.setTargets(
      store.targets(of: chosen.selection.location, memory: chosen.loader.bytes), for: model.name)
    return chosen.selection
  }
}
