// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import PetRuntime

/// Turns whatever a command threw into one line on standard error and an exit code.
package enum CommandExit<Root: ParsableCommand> {
  package struct Report: Equatable {
    package var status: ExitStatus
    package var standardOutput = ""
    package var standardError = ""
  }

  /// - Parameter words: of the command line, as far as they are known.
  package static func finish(with error: any Error, words: [String] = []) -> Never {
    let report = report(for: error, words: words)
    if !report.standardOutput.isEmpty { Output.standard.write(report.standardOutput) }
    if !report.standardError.isEmpty { Output.error.write(report.standardError) }
    exit(report.status.rawValue)
  }

  package static func report(for error: any Error, words: [String] = []) -> Report {
    if let known = shown(error) {
      return Report(status: known.exitStatus, standardError: line(known.description))
    }
    if let code = error as? ExitCode, let status = ExitStatus(rawValue: code.rawValue) {
      return Report(status: status)
    }
    if error is CancellationError { return Report(status: .refused, standardError: line("stopped before the end")) }
    switch Root.exitCode(for: error) {
    case .success:
      return Report(status: .done, standardOutput: terminated(Root.fullMessage(for: error)))
    case .validationFailure:
      let message = Root.message(for: error)
      let meant = meant(by: message).map { " (did you mean '\($0)'?)" } ?? ""
      let why = numberProblem(in: message)
      return Report(
        status: .usage, standardError: line(message + why + meant + hint(in: Root.fullMessage(for: error), words)))
    default:
      // Errors of libraries may say where in their source they came from.
      let words = "\(error)".split(separator: " ").filter { !$0.contains(".swift") }
      return Report(status: .internal, standardError: line("internal error: " + words.joined(separator: " ")))
    }
  }

  /// What people are shown of an error; nil: not its own words.
  package static func shown(_ error: any Error) -> (any UserFacingError)? {
    // What is wrong with a model is told in the same words by every command, however it loads.
    if case ModelError.modelLoadFailed(_, let cause) = error, cause is any UserFacingError { return shown(cause) }
    return error as? any UserFacingError
  }

  /// Why a number is refused as the value of an option, where the parser only says that it is.
  private static func numberProblem(in message: String) -> String {
    let words = message.split(separator: "'", omittingEmptySubsequences: false)
    guard words.count == 5, words[0] == "The value ", words[2] == " is invalid for ", words[4].isEmpty else {
      return ""
    }
    let digits = words[1].hasPrefix("-") ? words[1].dropFirst() : words[1]
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isWholeNumber }) else {
      return Double(words[1]) == nil ? "" : ": give a whole number"
    }
    // No option takes a larger one that refuses some.
    guard let number = Int(words[1]), number <= 1_000_000 else { return ": the number is too large" }
    return number < 0 ? ": give a number that is not negative" : ""
  }

  /// The value that was probably meant by one that is none.
  private static func meant(by message: String) -> String? {
    guard let start = message.firstRange(of: "Please provide one of ") else { return nil }
    func quoted(_ text: Substring) -> [String] {
      text.split(separator: "'", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
        .map { String($0.element) }
    }
    // In a line, or, where there are many, in lines of their own.
    let rest = message[start.upperBound...]
    let lines = rest.split(separator: "\n").dropFirst().map { String($0.drop { $0 == " " || $0 == "-" }) }
    return quoted(message[..<start.lowerBound]).first.flatMap {
      NearestName.of($0, among: lines.isEmpty ? quoted(rest) : lines)
    }
  }

  /// ArgumentParser closes its message with "See 'pet models pull --help' ...": the only part that knows the command.
  /// Of what a command refuses after it was parsed, it names the program; the words know better.
  private static func hint(in message: String, _ words: [String]) -> String {
    guard let last = message.split(separator: "\n").last(where: { $0.contains("--help'") }),
      let start = last.firstIndex(of: "'"), let end = last[last.index(after: start)...].firstIndex(of: "'")
    else { return "" }
    guard last[start...end] == "'\(Root._commandName) --help'" else { return "; see \(last[start...end])" }
    var command: any ParsableCommand.Type = Root.self
    var path = Root._commandName
    for word in words {
      guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
      command = next
      path += " \(word)"
    }
    return "; see '\(path) --help'"
  }

  private static func line(_ message: String) -> String {
    "\(Root._commandName): \(TerminalText.line(message))\n"
  }

  private static func terminated(_ message: String) -> String {
    message.isEmpty || message.hasSuffix("\n") ? message : message + "\n"
  }
}
