import PetCompanion

/// A reply on its way to the person: text goes on sentence by sentence, each after all that there is was judged.
struct ReplyOutput {
  private var reader = ReplyReader()
  /// Passed, and handed on.
  private var shown = ""
  private var pending = ""
  private var refused: ReplyCheck.Reason?
  /// Whether the model said things again, which are left out.
  private(set) var wasTrimmed = false
  private let check = ReplyCheck.standard

  /// What may be shown now that `piece` has come.
  mutating func append(_ piece: String) -> String {
    pending += reader.append(piece)
    guard refused == nil, let end = Self.endOfSentences(pending) else { return "" }
    let sentences = String(pending[..<end])
    pending = String(pending[end...])
    return judge(sentences)
  }

  /// What is still to be shown, and the reply as far as it may be; why the rest may not.
  mutating func finish() -> (rest: String, reply: Reply, refused: ReplyCheck.Reason?) {
    let rest = refused == nil ? judge(pending) : ""
    var reply = reader.finish()
    if wasTrimmed { reply.text = shown }
    if refused != nil { (reply.text, reply.isWellFormed) = (shown, false) }
    return (rest, reply, refused)
  }

  private mutating func judge(_ written: String) -> String {
    let text = Repetition.removed(from: written, after: shown)
    if text != written { wasTrimmed = true }
    switch check.verdict(on: shown + text) {
    case .pass:
      shown += text
      return text
    case .replace(let reason):
      refused = reason
      return ""
    }
  }

  /// Behind the last mark that ends a sentence and is followed by a space.
  private static func endOfSentences(_ text: String) -> String.Index? {
    var end: String.Index?
    var previous: Character = " "
    for index in text.indices {
      if text[index] == " ", ".!?\u{2026}".contains(previous) { end = index }
      previous = text[index]
    }
    return end
  }
}
