// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct ModelsRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take a model's file off this machine.",
    discussion: """
      What was fetched can be fetched again; a model of your own is gone. Where the hash of the first fetch must hold, it stays \
      known, unless --forget is given.
      """)

  @Argument(help: "A name from `pet models list`.")
  var name: String

  @Flag(help: "Forget the hash of the first fetch: the next one decides anew.")
  var forget = false

  @Flag(help: "Print {\"name\", \"bytes\"}.")
  var json = false

  private struct Report: Encodable {
    let name: String
    /// Freed.
    let bytes: UInt64
  }

  func run() throws {
    let store = try ModelStore.current()
    let model = try store.model(named: name)
    let freed = try ModelInstaller(store: store, inspect: ModelFiles.inspect).remove(model, forgetsPin: forget) {
      Output.error.tell("another pet changes the models; waiting for it")
    }
    if json {
      try JSONOutput.write(Report(name: name, bytes: freed))
    } else {
      let outcome = freed == 0 ? "was not here" : "removed, \(ByteCount.text(freed)) are free"
      Output.standard.tell("\(name): \(outcome)")
    }
  }
}
