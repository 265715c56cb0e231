// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetCompanion
import PetText

/// What can be asked of the program rather than of the model: care, memory, looks, facts.
package enum SlashCommand: String, CaseIterable, Sendable {
  case help, state, feed, play, rest, pet, clean, memory, diary, forget, privacy, face, model, stats, reset, quit

  package var name: String { "/" + rawValue }

  /// What may follow the name, as `/help` writes it; empty where nothing may.
  package var arguments: String {
    switch self {
    case .help, .state, .rest, .pet, .clean, .diary, .privacy, .model, .stats, .reset, .quit: ""
    case .feed: "[FOOD]"
    case .play: "[GAME]"
    case .memory: "[add TEXT|edit N|why N|undo]"
    case .forget: "NUMBER|everything"
    case .face: "[full|small|off]"
    }
  }

  /// "/forget NUMBER|everything"
  package var usage: String { arguments.isEmpty ? name : "\(name) \(arguments)" }

  package var explanation: String {
    switch self {
    case .help: "this list"
    case .state: "how your pet is"
    case .feed: "give it something to eat"
    case .play: "play a game with it"
    case .rest: "let it have a nap"
    case .pet: "stroke it gently"
    case .clean: "wash it and brush it"
    case .memory: "what it knows of you; tell, mend, get back"
    case .diary: "what you told it, day by day"
    case .forget: "make it forget one thing, or all for good"
    case .privacy: "what stays on this device, and how"
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

  /// Other names, which people bring from other programs.
  private static let aliases: [String: SlashCommand] = [
    "?": .help, "h": .help, "q": .quit, "exit": .quit, "bye": .quit,
  ]

  package enum Line: Equatable {
    /// With what follows the name, trimmed.
    case command(SlashCommand, String)
    /// The first word, with its slash.
    case unknown(String)
    case message(String)
    case empty

    /// Of a command, or what was typed for one; nil for a message.
    package var name: String? {
      switch self {
      case .command(let command, _): command.name
      case .unknown(let name): name
      case .message, .empty: nil
      }
    }
  }

  /// What a line is, wherever it comes from. One that begins with a slash and a letter is meant as a command, also a path; two slashes
  /// begin a message with one.
  package static func read(_ line: String) -> Line {
    let words = line.drop(while: \.isWhitespace)
    guard !words.isBlank else { return .empty }
    if words.hasPrefix("//") { return .message(String(words.dropFirst())) }
    guard words.hasPrefix("/"), let first = words.split(maxSplits: 1, whereSeparator: \.isWhitespace).first else {
      return .message(line)
    }
    let rest = words.dropFirst(first.count).trimmed
    let name = first.dropFirst().lowercased()
    if let command = SlashCommand(rawValue: name) ?? aliases[name] {
      return .command(command, rest)
    }
    return name.first?.isASCII == true && name.first?.isLetter == true ? .unknown(String(first)) : .message(line)
  }

  /// How a person would ask for the game that is behind `/play`; nil where there is none of that name.
  package static func request(for game: String) -> String? {
    [game, "let's play \(game)", "tell me \(game)", "tell me a \(game)"].first {
      GameRules.standard.asked(FoldedText.words($0)) != nil
    }
  }

  /// What to type in the place of a line that is meant for the program; nil for any other. Said only to a person at a terminal.
  /// - Parameter name: of the pet.
  package static func hint(for line: String, name: String) -> String? {
    switch line.lowercased().singleSpaced {
    case "quit", "exit": "(/quit leaves; to say it to \(name), write a sentence)"
    case "help": "(/help lists the commands; to ask \(name) for help, write a sentence)"
    default: nil
    }
  }

  /// Words that may be the first argument.
  package var choices: [String] {
    switch self {
    case .memory: ["add", "edit", "why", "undo"]
    case .forget: ["everything"]
    case .face: ReplyView.Size.allCases.map(\.rawValue)
    default: []
    }
  }

  /// What people write for them.
  package var synonyms: [String: String] {
    switch self {
    case .forget: ["all": "everything", "all of it": "everything", "it all": "everything"]
    case .memory: ["new": "add", "remember": "add", "change": "edit", "mend": "edit"]
    default: [:]
    }
  }

  /// A line for each command, for `/help`.
  package static var overview: String {
    FactLines.text(allCases.map { ($0.usage, $0.explanation) } + [("//", "a message that begins with a slash")])
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
