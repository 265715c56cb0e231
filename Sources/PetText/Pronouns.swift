// SPDX-License-Identifier: Apache-2.0
/// Pronouns of one grammatical person by those of another, in small letters. Verbs are turned by who knows their sentence.
///
/// `prompts/reflection.json` has those from the first person to the second, with their contractions.
package enum Pronouns {
  /// As facts are kept: "my horse" is "their horse".
  package static let firstToThird = [
    "i": "they", "me": "them", "my": "their", "mine": "theirs", "am": "are", "our": "their", "us": "them",
    "we": "they", "myself": "themselves",
  ]
  /// As facts are said to their person.
  package static let thirdToSecond = [
    "they": "you", "them": "you", "their": "your", "theirs": "yours", "themselves": "yourself",
  ]
  /// As their person would say them.
  package static let secondToFirst = [
    "you": "I", "you're": "I'm", "your": "my", "yours": "mine", "yourself": "myself",
  ]
}
