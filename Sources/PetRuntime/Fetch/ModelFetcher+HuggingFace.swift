// SPDX-License-Identifier: Apache-2.0
import PetFiles

extension ModelFetcher {
  /// Downloads the model's file, or the rest of it, and installs it.
  func fetch(
    _ source: HuggingFaceSource, of model: CatalogModel, _ report: @escaping @Sendable (Event) -> Void
  ) throws -> Outcome {
    let folder = store.downloads(of: model.name)
    let here = Folder.bytes(below: folder)
    try checkSpace(model.file.bytes - min(model.file.bytes, here))
    let download = HubDownload(
      model: model, source: source, hub: try .read(environment), tools: tools, environment: environment, folder: folder)
    let total = model.file.bytes
    do {
      let draft = try download.run { report(.downloading(done: min($0, total), total: total)) }
      try install(model.file.sha256 == nil ? pin(model, draft, report) : model, from: draft, report)
    } catch let error as FetchError {
      switch error {
      case .hub, .curlMissing, .hubAddress: break
      // What came is not what was meant: going on with it would never end well.
      default: Folder.remove(folder)
      }
      throw error
    }
    Folder.remove(folder)
    return .fetched
  }

  /// Looks at a file whose hash nobody knows, and writes down what it is before anybody sees it.
  private func pin(
    _ model: CatalogModel, _ draft: String, _ report: @escaping @Sendable (Event) -> Void
  ) throws -> CatalogModel {
    do {
      _ = try inspect(draft)
    } catch {
      throw FetchError.inspection(name: model.name, reason: "\(error)")
    }
    let bytes = try OpenFile.regular(draft).size
    let sha256 = try FileVerifier.hash(of: draft) { report(.verifying(done: $0, total: bytes)) }
    // A power cut must not leave the hash of bytes that it took.
    try OpenFile.regular(draft).synchronize()
    var local = try LocalCatalog.read(in: store.folder)
    let pin = PinnedFile(file: model.file.name, bytes: bytes, sha256: sha256)
    local.pin(model.name, pin)
    try local.write(in: store.folder)
    report(.pinned(name: model.name, sha256: sha256))
    return model.pinned(pin)
  }
}
