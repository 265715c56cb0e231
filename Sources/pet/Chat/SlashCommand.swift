import PetCompanion

/// What can be asked of the program rather than of the model: care, memory, looks, facts.
package enum SlashCommand: String, CaseIterable, Sendable {
  case help, state, feed, play, rest, pet, clean, memory, forget, privacy, face, model, stats, reset, quit

  package var name: String { "/" + rawValue }

  /// What may follow the name, as `/help` writes it; empty where nothing may.
  package var arguments: String {
    switch self {
    case .help, .state, .rest, .pet, .clean, .privacy, .model, .stats, .reset, .quit: ""
    case .feed: "[FOOD]"
    case .play: "[GAME]"
    case .memory: "[edit NUMBER TEXT]"
    case .forget: "NUMBER|everything"
    case .face: "[full|small|off]"
    }
  }

  package var explanation: String {
    switch self {
    case .help: "this list"
    case .state: "how your pet is"
    case .feed: "give it something to eat"
    case .play: "play a game with it"
    case .rest: "let it have a nap"
    case .pet: "stroke it gently"
    case .clean: "wash it and brush it"
    case .memory: "what it knows of you; edit mends one thing"
    case .forget: "make it forget one thing, or all for good"
    case .privacy: "what stays on this device, and what sees to it"
    case .face: "how much of its face you see"
    case .model: "which model answers, and how it runs"
    case .stats: "what the last reply cost, and who answered"
    case .reset: "start the conversation anew"
    case .quit: "leave (Ctrl-D does too)"
    }
  }

  /// What it does for the pet; nil for what is no care.
  package var care: CareAction? {
    switch self {
    case .feed: .feed
    case .play: .play
    case .rest: .rest
    case .pet: .pet
    case .clean: .clean
    default: nil
    }
  }

  package enum Line: Equatable {
    /// With what follows the name, trimmed.
    case command(SlashCommand, String)
    case unknown(String)
    case message(String)
    case empty
  }

  /// What a typed line is.
  package static func read(_ line: String) -> Line {
    let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard let first = parts.first else { return .empty }
    guard first.hasPrefix("/") else { return .message(line) }
    let rest = parts.count > 1 ? String(parts[1].reversed().drop(while: \.isWhitespace).reversed()) : ""
    // A path or a date that starts a message is not a command; a single word with a slash in front is meant as one.
    if let command = SlashCommand(rawValue: String(first.dropFirst())) { return .command(command, rest) }
    return rest.isEmpty && !first.dropFirst().contains("/") ? .unknown(String(first)) : .message(line)
  }

  /// Words that may be the first argument.
  package var choices: [String] {
    switch self {
    case .memory: ["edit"]
    case .forget: ["everything"]
    case .face: ReplyView.Size.allCases.map(\.rawValue)
    default: []
    }
  }

  /// A line for each command, for `/help`.
  package static var overview: String {
    FactLines.text(
      allCases.map { ($0.arguments.isEmpty ? $0.name : "\($0.name) \($0.arguments)", $0.explanation) })
  }

  /// What Tab does after a command and a space: its argument is completed like a command. `none` for anything else.
  package static func completeArgument(_ typed: String) -> CommandCompletion {
    let parts = typed.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let command = allCases.first(where: { $0.name == parts[0] }) else { return .none }
    // Slashes make of them what the completion of commands knows.
    switch CommandCompletion.complete("/" + parts[1], among: command.choices.map { "/" + $0 }) {
    case .choices(let found): return .choices(found.map { String($0.dropFirst()) })
    case let other: return other
    }
  }
}
