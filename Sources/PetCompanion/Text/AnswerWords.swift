// SPDX-License-Identifier: Apache-2.0
import PetText

/// The words that say what a line is about: `function_words` of `prompts/answers.json` are left out.
package enum AnswerWords {
  /// Without the ends of plurals and of past forms. Complexity: the length of the text.
  package static func content(of text: String) -> Set<String> {
    let functionWords = AnswerLines.standard.functionWords
    return Set(
      FoldedText.words(text).lazy.filter { $0 != "." && $0 != "?" && !functionWords.contains($0) }
        .map(Stem.suffix))
  }
}
