// SPDX-License-Identifier: Apache-2.0
/// The form of replies, `text {emotion; action, action}`, as a grammar that a model is held to.
package struct ReplyForm: Sendable, Equatable {
  /// What the pet may show; all where there are none.
  package let emotions: [Emotion]
  /// What the pet may do; without any, replies name none.
  package let actions: [PetAction]

  /// Any order and repetition: the form is the same.
  package init(
    emotions: some Sequence<Emotion> = Emotion.allCases, actions: some Sequence<PetAction> = PetAction.allCases
  ) {
    let (emotions, actions) = (Set(emotions), Set(actions))
    self.emotions = Emotion.allCases.filter { emotions.isEmpty || emotions.contains($0) }
    self.actions = PetAction.allCases.filter(actions.contains)
  }

  /// The byte that begins the closing mark; no text has it.
  package static let opening = UInt8(ascii: "{")

  /// Most bytes of the closing mark, with the space before it.
  package var longestMark: Int {
    let emotion = emotions.map(\.rawValue.utf8.count).max() ?? 0
    let action = actions.map(\.rawValue.utf8.count).max() ?? 0
    return " {; , }".utf8.count + emotion + 2 * action
  }

  /// In llama.cpp's notation (GBNF). The text is one line without braces, bars, which special tokens are spelled with, and control
  /// characters; SentencePiece begins it with a space.
  package var gbnf: String {
    func choice(_ words: [String]) -> String { words.map { "\"\($0)\"" }.joined(separator: " | ") }
    let mark = actions.isEmpty ? "emotion" : #"emotion ("; " action (", " action)?)?"#
    var rules = #"""
      root ::= " "? first rest* " {" \#(mark) "}"
      first ::= [^ {}|\x00-\x1F\x7F]
      rest ::= [^{}|\x00-\x1F\x7F]
      emotion ::= \#(choice(emotions.map(\.rawValue)))
      """#
    if !actions.isEmpty { rules += "\naction ::= " + choice(actions.map(\.rawValue)) }
    return rules
  }
}
