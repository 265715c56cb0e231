import PetEngine
import PetService

/// What a command of the conversation came to: lines for people, and the same as `--json` prints it.
struct CommandReport: Encodable {
  var command: String
  /// As people read it, without the last line feed.
  var text: String
  /// Of what the pet said, where it said something.
  var emotion: String?
  var actions: [String]?
  var state: PetState?
  var memories: [FactForm]?
  var model: ServingModel?
  var statistics: PetStatistics?
  var privacy: PrivacyForm?

  init(_ command: SlashCommand, _ lines: String) {
    self.command = command.name
    text = Self.closed(lines)
  }

  func with(_ lines: String) -> CommandReport {
    var report = self
    report.text = Self.closed(lines)
    return report
  }

  private static func closed(_ lines: String) -> String { lines.hasSuffix("\n") ? String(lines.dropLast()) : lines }
}

/// What went wrong with a line, as `--json` prints it.
struct LineFailure: Encodable {
  /// Of a line that was one.
  let command: String?
  let error: String
}

/// What was wrong with the pet's files, and where they were kept, as `--json` prints it before the first turn.
struct KeptAside: Encodable {
  let notice = "kept_aside"
  let text: String
}

extension TurnReport {
  /// Whether all of the turn that is to outlive it does.
  var isKept: Bool { !notices.contains { if case .notKept = $0 { true } else { false } } }
}

/// What the pet says by itself, as `--json` prints it.
struct OwnWords: Encodable {
  /// Always "pet": nobody asked.
  let source = "pet"
  let text: String
  let emotion: String?
  let actions: [String]

  init(_ reply: Reply) {
    (text, emotion, actions) = (reply.text, reply.emotion?.rawValue, reply.actions.map(\.rawValue))
  }
}
