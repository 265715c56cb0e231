// SPDX-License-Identifier: Apache-2.0
import PetText

/// Finds the one form of a short, frequent message behind its many spellings: "Hiii!!", "helo" and "hey mochi" are "hello".
///
/// Only spellings that mean the same are made one. A question mark stays (`thanks?` is not `thanks`) unless the message is a
/// question anyway; dots that trail off stay, because they tell a mood; so does everything that is neither a letter nor closing
/// punctuation, such as ":(". What is not in the table has no such form.
package struct GreetingNormalizer: Sendable {
  /// In bytes: nothing in the table is longer, however it is drawn out.
  private static let longest = 64

  private struct Form: Sendable {
    let message: String
    let isQuestion: Bool
  }

  private let spellings: [String: String]
  private let forms: [String: Form]
  private let vocabulary: Set<String>

  package init(spellings: [String: String], messages: [String: FrequentReplies.Message]) {
    self.spellings = spellings
    var forms: [String: Form] = [:]
    var vocabulary = Set(spellings.keys)
    for (name, message) in messages {
      for form in message.forms + [name] {
        let words = form.filter { $0 != "'" }.split(separator: " ").map(String.init)
        vocabulary.formUnion(words)
        let spelled = words.map { spellings[$0] ?? $0 }.joined(separator: " ")
        forms[spelled] = Form(message: name, isQuestion: message.isQuestion)
      }
    }
    self.forms = forms
    self.vocabulary = vocabulary
  }

  /// The name that the message has in `prompts/frequent.json`; nil for every other message. O(bytes), at most 64 of them.
  /// - Parameter name: of the pet: before or after the rest it changes nothing.
  package func message(for text: String, to name: String? = nil) -> String? {
    guard text.utf8.count <= Self.longest, let (body, isAsked) = Self.withoutClosing(text) else { return nil }
    guard let spoken = words(body, name: name?.lowercased()) else { return nil }
    guard let form = forms[spoken.joined(separator: " ")], form.isQuestion || !isAsked else { return nil }
    return form.message
  }

  /// Lower case, without the closing punctuation, and whether that asks; nil where it trails off or there are other signs.
  private static func withoutClosing(_ text: String) -> (body: String, isAsked: Bool)? {
    var body = Array(text.lowercased().unicodeScalars)
    var dots = 0
    var isAsked = false
    while let last = body.last, last == " " || last == "\n" || last == "\t" || "!?.~".unicodeScalars.contains(last) {
      if last == "." { dots += 1 }
      if last == "?" { isAsked = true }
      body.removeLast()
    }
    guard dots < 2 else { return nil }
    var clean = ""
    for scalar in body {
      switch scalar {
      case "a"..."z", "0"..."9", " ": clean.unicodeScalars.append(scalar)
      case "'", "\u{2019}": continue
      case ",", "\n", "\t": clean.append(" ")
      default: return nil
      }
    }
    return (clean, isAsked)
  }

  private func words(_ body: String, name: String?) -> [String]? {
    var words = body.split(separator: " ").map(String.init)
    if words.count > 1, let name {
      if words.last == name { words.removeLast() } else if words.first == name { words.removeFirst() }
    }
    if words.count > 1, words.last == "please" || words.last == "pls" { words.removeLast() }
    var spelled: [String] = []
    for word in words {
      guard let known = known(word) else { return nil }
      spelled.append(spellings[known] ?? known)
    }
    return spelled
  }

  /// The word itself, or what it is when letters that were drawn out are written twice, or once.
  private func known(_ word: String) -> String? {
    if vocabulary.contains(word) { return word }
    return [2, 1].lazy.map { String(decoding: word.utf8.cuttingRuns(to: $0), as: UTF8.self) }
      .first(where: vocabulary.contains)
  }
}
