// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetText

/// A reply on its way to the person: text goes on sentence by sentence, each after all that there is was judged.
package struct ReplyOutput {
  private var reader = ReplyReader()
  /// Passed, and handed on.
  private var shown = ""
  private var pending = ""
  private var refused: ReplyCheck.Reason?
  /// Whether the model said things again, which are left out.
  package private(set) var wasTrimmed = false
  /// Whether anything has come.
  package private(set) var hasBegun = false
  private let check = ReplyCheck.standard
  /// In small letters: what only the system text says so.
  private let hidden: [String]

  /// - Parameter persona: whose description is nobody's business as it stands.
  package init(_ persona: Persona?) {
    if let pet = persona?.pet, !pet.kind.isEmpty, !pet.temperament.isEmpty {
      hidden = ["\(pet.kind), \(pet.temperament)".lowercased()]
    } else {
      hidden = []
    }
  }

  /// What may be shown now that `piece` has come.
  package mutating func append(_ piece: String) -> String {
    hasBegun = true
    pending += reader.append(piece)
    guard refused == nil else { return "" }
    let sentences = pending.sentences
    guard sentences.count > 1, let last = sentences.last else { return "" }
    let whole = String(pending[..<last.startIndex])
    pending = String(last)
    return judge(whole)
  }

  /// What is still to be shown, and the reply as far as it may be; why the rest may not.
  /// - Parameter isLoop: whether the model was stopped as it went round: the sentence in which it did is not shown.
  package mutating func finish(isLoop: Bool = false) -> (rest: String, reply: Reply, refused: ReplyCheck.Reason?) {
    if isLoop, refused == nil { refused = .loop }
    let rest = refused == nil ? judge(pending) : ""
    var reply = reader.finish()
    if wasTrimmed { reply.text = shown }
    if refused != nil { (reply.text, reply.isWellFormed) = (shown, false) }
    return (rest, reply, refused)
  }

  private mutating func judge(_ written: String) -> String {
    let text = Repetition.removed(from: written, after: shown)
    if text != written { wasTrimmed = true }
    let all = (shown + text).lowercased()
    let verdict = hidden.contains(where: all.contains) ? .replace(.leak) : check.verdict(on: shown + text)
    switch verdict {
    case .pass:
      shown += text
      return text
    case .replace(let reason):
      refused = reason
      return ""
    }
  }
}
