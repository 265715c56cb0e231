// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetRuntime

/// The words of a command line that name a command of `Root`.
package enum CommandNames<Root: ParsableCommand> {
  private static var helpFlags: [String] { ["-h", "--help", "-help"] }

  /// Refuses a word that names no command where one stands: beside a request for help or the version the parser passes over it. Answers
  /// `help` wherever a command may stand.
  /// - Throws: ``UnknownCommand``; `CleanExit`, where help was asked for.
  package static func check(_ words: [String]) throws {
    var command: any ParsableCommand.Type = Root.self
    var path = [Root._commandName]
    var isHelp = false
    for word in words where !helpFlags.contains(word) {
      // From the first option on the parser knows which words are values.
      guard !word.hasPrefix("-") else { return }
      let known = command.configuration.subcommands
      guard isHelp || !known.isEmpty else { return }
      if word == "help", !known.isEmpty {
        isHelp = true
        continue
      }
      guard let next = known.first(where: { $0._commandName == word }) else {
        let shown = known.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        throw UnknownCommand(word: word, path: path, known: shown)
      }
      command = next
      path.append(word)
    }
    if isHelp { throw CleanExit.helpRequest(command) }
  }
}

/// A word that names no command where one stands.
package struct UnknownCommand: UserFacingError, Equatable {
  let word: String
  /// Of the commands before it, with the program: "pet", "models".
  let path: [String]
  /// What could stand there; empty behind a command that has none below it.
  let known: [String]

  package var exitStatus: ExitStatus { .usage }

  package var description: String {
    let command = path.joined(separator: " ")
    let why =
      known.isEmpty
      ? "'\(command)' has no commands, and '\(word)' stands behind it"
      : "'\(word)' is no command of '\(command)'"
    let meant = NearestName.of(word, among: known).map { " (did you mean '\($0)'?)" } ?? ""
    return "\(why)\(meant); see '\(command) --help'"
  }
}
