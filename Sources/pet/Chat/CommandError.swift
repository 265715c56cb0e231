// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetCommandLine
import PetRuntime

/// A command of the conversation that cannot be carried out as it was typed.
enum CommandError: UserFacingError, Equatable {
  /// As it was typed, with its slash.
  case unknown(String)
  /// What is behind the name is not what it takes.
  case arguments(SlashCommand, String)
  /// What is to be the number of a memory is none.
  case noNumber(SlashCommand, String)

  var description: String {
    switch self {
    case .unknown(let name):
      "\(name.count > 64 ? String(name.prefix(64)) + "..." : name): no such command\(NearestName.hint(for: name, among: SlashCommand.allCases.map(\.name))); /help lists them, and // "
        + "begins a message with a slash"
    case .arguments(let command, ""): "\(command.name) needs more: \(command.usage)"
    case .arguments(let command, let given) where command.arguments.isEmpty:
      "\(command.name) takes nothing behind it, and '\(given)' is there; // begins a message with a slash"
    case .arguments(.play, let given):
      "no game is called '\(given)'; there are guess the number, hide and seek, twenty questions, rock paper scissors, word chain, "
        + "riddles and stories, and \(SlashCommand.play.name) alone is a ball game"
    case .arguments(let command, let given):
      "\(command.name) does not know '\(given)'\(NearestName.hint(for: given, among: command.choices, synonyms: command.synonyms)); give \(command.usage)"
    case .noNumber(let command, let given):
      "\(command.name): '\(given)' is not the number of a memory; \(SlashCommand.memory.name) lists them; give \(command.usage)"
    }
  }
}

/// A line of a file or a pipe that was not answered because whoever was to answer it is not there any more.
struct LostLine: UserFacingError {
  let description: String
  let exitStatus: ExitStatus

  /// A model, a thread or an input that cannot be used: none of those behind it is answered either.
  init(_ error: any UserFacingError, from number: Int) {
    description = "line \(number) and those behind it were not answered: \(error)"
    exitStatus = error.exitStatus
  }

  /// Nil for a failure of another kind.
  init?(_ failure: ServiceClient.Failure, at number: Int) {
    exitStatus = failure.exitStatus
    switch failure {
    case .broken: description = "line \(number) was not answered to its end: petd went away in the middle of it"
    case .noService, .silent, .brokerLost, .stranger, .exposed:
      description = "line \(number) and those behind it were not answered: \(failure)"
    case .notAllowed, .noRoom, .refused: return nil
    }
  }
}

/// Lines of a file or a pipe that were not answered because of SIGINT.
struct InterruptedLines: UserFacingError {
  /// Of the first.
  let number: Int

  var description: String { "interrupted: line \(number) and those behind it were not answered" }
  var exitStatus: ExitStatus { .interrupted }
}
