// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import PetCompanion
import PetText

/// How one reply is shown, from its first word on.
///
/// Words come as the model finds them, broken between words. The emotion is known only at the end, so the face stands below
/// them: nothing that was written is touched again, no cursor is moved, and what has scrolled away, a recording or another
/// program reads it as it was. A person who listens gets the whole reply at once, as one line: screen readers stumble over
/// lines that grow.
package struct ReplyView: Sendable {
  package enum Size: String, Sendable, CaseIterable { case full, small, off }

  private let name: String
  private let pet: String
  private let screen: Screen
  private let size: Size
  private let faces: Faces
  private var wrap: WordWrap

  /// - Parameters:
  ///   - name: who speaks.
  ///   - pet: the short name under which `prompts/faces.json` has its face.
  package init(name: String, pet: String, screen: Screen, size: Size = .full, faces: Faces = .standard) {
    self.name = TerminalText.label(name)
    self.pet = pet
    self.screen = screen
    self.size = size
    self.faces = faces
    wrap = WordWrap(columns: screen.columns)
  }

  /// What to write when `piece` of the text has come.
  package mutating func append(_ piece: String) -> String {
    switch screen.form {
    case .spoken: ""
    case .bare: TerminalText.sanitize(piece)
    case .unicode, .ascii: wrap.append(TerminalText.sanitize(piece))
    }
  }

  /// What to write when the reply is whole; ends with a line feed. The next reply can then begin.
  package mutating func finish(_ reply: Reply) -> String {
    defer { wrap = WordWrap(columns: screen.columns) }
    switch screen.form {
    case .bare: return "\n"
    case .spoken: return spoken(reply) + "\n"
    case .unicode, .ascii: return wrap.finish() + "\n" + closing(reply).map { $0 + "\n" }.joined()
    }
  }

  /// "Mochi, sleepy: Good night. Yawns."
  private func spoken(_ reply: Reply) -> String {
    let text = TerminalText.sanitize(reply.text).singleSpaced
    let gestures = reply.actions.map(faces.gesture).joined(separator: ", ")
    let speaker = ([name] + [reply.emotion?.rawValue].compactMap(\.self)).joined(separator: ", ")
    let said = text.isEmpty ? "\(speaker)." : "\(speaker): \(text)"
    guard !gestures.isEmpty else { return said }
    guard said.last?.isPunctuation == true else { return "\(said); \(gestures)." }
    return "\(said) \(gestures.prefix(1).uppercased())\(gestures.dropFirst())."
  }

  private func closing(_ reply: Reply) -> [String] {
    let gestures = reply.actions.map { "*\(faces.gesture($0))*" }
    guard let emotion = reply.emotion, let face = faces.face(of: pet, emotion, isASCII: screen.form == .ascii) else {
      return gestures.isEmpty ? [] : TerminalText.wrapped(whole: gestures, columns: screen.columns)
    }
    let title = "\(name), \(emotion.rawValue)"
    switch size {
    case .off: return TerminalText.wrapped(whole: [title] + gestures, columns: screen.columns)
    case .full where Portrait.fits(screen):
      let room = Portrait.room(screen)
      let shown = TerminalText.wrapped(whole: [title], columns: room)
      let done = gestures.isEmpty ? [] : TerminalText.wrapped(whole: gestures, columns: room)
      return Portrait.lines(face, beside: shown + done, on: screen)
    case .full, .small: return Portrait.line(face, [title] + gestures, on: screen)
    }
  }
}
