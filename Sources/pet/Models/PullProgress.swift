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
    case .waiting: Output.error.writeLine("another pet is fetching; waiting for it")
    case .downloading(let done, let total): bars.update("fetching", done, total)
    case .unpacking(let done, let total): bars.update("unpacking", done, total)
    case .adapting(let done, let total): bars.update("making", done, total)
    case .verifying(let done, let total): bars.update("verifying", done, total)
    case .pinned(let name, let sha256):
      finish()
      pin.withLock { $0 = sha256 }
      Output.error.writeLine(
        "\(name): its SHA-256 was not known before; from now on it must be that of this first fetch: \(sha256)")
    }
  }

  func finish() { bars.finish() }
}

/// One bar per stage of some work, one after the other.
final class StageBars: Sendable {
  private let name: String
  private let current = Mutex<(stage: String, bar: ProgressBar)?>(nil)

  init(_ name: String) { self.name = name }

  func update(_ stage: String, _ done: UInt64, _ total: UInt64) {
    let bar = current.withLock { current in
      if let current, current.stage == stage { return current.bar }
      current?.bar.finish()
      let bar = ProgressBar("\(stage) \(name)", total: total)
      current = (stage, bar)
      return bar
    }
    bar.update(done)
  }

  func finish() { current.withLock { $0?.bar.finish() } }
}

extension ModelFetcher {
  /// A fetcher with this program's environment and engine.
  static func current(_ store: ModelStore) -> ModelFetcher {
    ModelFetcher(
      store: store, environment: ProcessEnvironment.current, adapt: ModelAdaptation.perform,
      inspect: ModelFiles.inspect)
  }
}
