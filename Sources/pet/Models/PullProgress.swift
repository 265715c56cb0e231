// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import PetEngine
import Synchronization

/// What a pull says while it works.
final class PullProgress: Sendable {
  private let bars: StageBars
  private let pin = Mutex<SHA256Hash?>(nil)

  init(model: CatalogModel) { bars = StageBars(model.name) }

  /// The hash that this pull pinned.
  var pinned: String? { pin.withLock { $0?.description } }

  func show(_ event: ModelFetcher.Event) {
    switch event {
    case .waiting: Output.error.tell("another pet is fetching; waiting for it")
    case .downloading(let done, let total): bars.update("fetching", done, total)
    case .unpacking(let done, let total): bars.update("unpacking", done, total)
    case .adapting(let done, let total): bars.update("making", done, total)
    case .verifying(let done, let total): bars.update("verifying", done, total)
    case .elsewhere(let error):
      finish()
      Output.error.tell("\(error); trying another place")
    case .pinned(let name, let sha256):
      finish()
      pin.withLock { $0 = sha256 }
      Output.error.tell(
        "\(name): its SHA-256 was not known before; from now on it must be that of this first fetch: \(sha256)")
    }
  }

  func finish() { bars.finish() }
}

extension ModelFetcher {
  /// A fetcher with this program's environment and engine.
  static func current(_ store: ModelStore) -> ModelFetcher {
    ModelFetcher(
      store: store, environment: ProcessEnvironment.current, adapt: ModelAdaptation.perform,
      inspect: SealedInspection.inspect)
  }
}
