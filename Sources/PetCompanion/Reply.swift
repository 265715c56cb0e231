// SPDX-License-Identifier: Apache-2.0
/// What a pet answers.
public struct Reply: Sendable, Equatable {
  public var text: String
  /// Nil where the model named none, or none of the closed set.
  public var emotion: Emotion?
  /// At most two.
  public var actions: [PetAction]
  /// Whether the model wrote the reply in the form `text {emotion; action, action}`, actions being optional.
  public var isWellFormed: Bool

  public init(text: String, emotion: Emotion? = nil, actions: [PetAction] = [], isWellFormed: Bool = false) {
    self.text = text
    self.emotion = emotion
    self.actions = actions
    self.isWellFormed = isWellFormed
  }

  /// Reads a reply as a model of this project writes it, or a person by hand: ``written``.
  package init(written: String) {
    var reader = ReplyReader()
    _ = reader.append(written)
    self = reader.finish()
  }

  /// As a model of this project writes it: `text {emotion; action, action}`.
  public var written: String {
    guard let emotion else { return text }
    let shown = actions.isEmpty ? "" : "; " + actions.map(\.rawValue).joined(separator: ", ")
    return "\(text) {\(emotion.rawValue)\(shown)}"
  }
}
