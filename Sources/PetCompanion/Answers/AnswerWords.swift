// SPDX-License-Identifier: Apache-2.0
/// The words that say what a line is about: `function_words` of `prompts/answers.json` are left out.
package enum AnswerWords {
  /// Without the ends of plurals and of past forms. Complexity: the length of the text.
  package static func content(of text: String) -> Set<String> {
    let functionWords = AnswerLines.standard.functionWords
    return Set(
      SafetyText.words(text).lazy.filter { $0 != "." && $0 != "?" && !functionWords.contains($0) }.map(stem))
  }

  private static func stem(_ word: String) -> String {
    var word = Substring(word)
    if let end = ["ing", "ed", "es", "s"].first(where: { word.utf8.count > $0.utf8.count + 2 && word.hasSuffix($0) }) {
      word = word.dropLast(end.count)
    }
    return String(word.utf8.count > 3 && word.hasSuffix("e") ? word.dropLast() : word)
  }
}
