// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import PetCompanion

/// What `/state` shows: the pet's face and how it is.
package enum StateView {
  /// Lines, each with its line feed.
  package static func text(
    name: String, pet: String, emotion: Emotion, bars: StateBars, on screen: Screen,
    size: ReplyView.Size = .full, faces: Faces = .standard
  ) -> String {
    guard screen.form == .unicode || screen.form == .ascii else { return bars.sentence(name) + "\n" }
    return lines(name, pet, emotion, bars, screen, size, faces).map { $0 + "\n" }.joined()
  }

  private static func lines(
    _ name: String, _ pet: String, _ emotion: Emotion, _ bars: StateBars, _ screen: Screen, _ size: ReplyView.Size,
    _ faces: Faces
  ) -> [String] {
    let title = "\(TerminalText.label(name)), \(emotion.rawValue)"
    guard size != .off, let face = faces.face(of: pet, emotion, isASCII: screen.form == .ascii) else {
      return TerminalText.wrapped(title, columns: screen.columns) + bars.lines(on: screen)
    }
    let beside = bars.lines(on: screen, columns: Portrait.room(screen))
    if size == .full, Portrait.fits(screen), beside.count == StateBars.Vital.allCases.count {
      return Portrait.lines(face, beside: beside, on: screen)
    }
    return Portrait.line(face, [title], on: screen) + bars.lines(on: screen)
  }
}
