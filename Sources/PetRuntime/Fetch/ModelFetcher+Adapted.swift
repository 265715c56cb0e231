// SPDX-License-Identifier: Apache-2.0
import PetFiles

extension ModelFetcher {
  /// Makes the model's file from its base, as `model` in the staging folder.
  func make(
    _ model: CatalogModel, from source: AdaptedSource, in staging: String, _ report: @escaping @Sendable (Event) -> Void
  ) throws {
    guard let base = store.catalog.model(named: source.base), let bytes = BuiltInFiles.bytes(named: source.adapter)
    else {
      throw FetchError.notBuiltIn(name: source.adapter)
    }
    let adapter = "\(staging)/adapter.gguf"
    do {
      try FileVerifier.verify(bytes, named: source.adapter, sha256: source.adapterSHA256)
      try OpenFile.create(adapter, bytes)
      try adapt(
        AdaptationRequest(
          base: store.path(of: base), adapter: adapter, output: "\(staging)/model", source: source)
      ) { report(.adapting(done: UInt64($0), total: UInt64($1))) }
    } catch let error as VerificationError {
      throw FetchError.adapter(name: source.adapter, error)
    } catch let error where error is CancellationError || error is FileError {
      throw error
    } catch {
      throw FetchError.adaptation(name: model.name, reason: "\(error)")
    }
  }
}
