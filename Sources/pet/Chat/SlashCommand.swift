/// What can be asked of the program rather than of the model.
enum SlashCommand: String, CaseIterable {
  case help, model, stats, reset, quit

  var name: String { "/" + rawValue }

  var explanation: String {
    switch self {
    case .help: "this list"
    case .model: "which model answers, and how it runs"
    case .stats: "what the last reply cost"
    case .reset: "start the conversation anew"
    case .quit: "leave (Ctrl-D does too)"
    }
  }

  enum Line: Equatable {
    case command(SlashCommand)
    case unknown(String)
    case message(String)
    case empty
  }

  /// What a typed line is.
  static func read(_ line: String) -> Line {
    let words = line.split(whereSeparator: \.isWhitespace)
    guard let first = words.first else { return .empty }
    guard first.hasPrefix("/") else { return .message(line) }
    // A path or a date that starts a message is not a command; a single word with a slash in front is meant as one.
    if let command = SlashCommand(rawValue: String(first.dropFirst())) { return .command(command) }
    return words.count == 1 && !first.dropFirst().contains("/") ? .unknown(String(first)) : .message(line)
  }

  static var overview: String {
    FactLines.text(allCases.map { ($0.name, $0.explanation) })
  }
}
