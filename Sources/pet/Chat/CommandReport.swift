// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine

/// What a command of the conversation came to: lines for people, and the same as `--json` prints it.
struct CommandReport: Encodable {
  var command: String
  /// As people read it, without the last line feed.
  var text: String
  /// Of what the pet said, where it said something.
  @OrNull var emotion: String? = nil
  @OrNull var actions: [String]? = nil
  @OrNull var state: PetState? = nil
  @OrNull var memories: [FactForm]? = nil
  /// Of `--knows`.
  @OrNull var given: [String]? = nil
  @OrNull var model: ServingModel? = nil
  @OrNull var statistics: PetStatistics? = nil
  @OrNull var privacy: PrivacyForm? = nil

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
  @OrNull var command: String?
  let error: String
}

/// What was wrong with the pet's files, as `--json` prints it before the first turn.
struct DamageReport: Encodable {
  let notice: PetHome.Damage.Kind
  let text: String

  init(_ damage: PetHome.Damage) { (notice, text) = (damage.kind, damage.text) }
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
  @OrNull var emotion: String?
  let actions: [String]

  init(_ reply: Reply) {
    text = reply.text
    emotion = reply.emotion?.rawValue
    actions = reply.actions.map(\.rawValue)
  }
}
