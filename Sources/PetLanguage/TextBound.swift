// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetTokenizer

/// Texts that no context could hold are refused by their length: to count the tokens of a few megabytes takes seconds and
/// hundreds of megabytes.
extension LanguageModel {
  /// - Throws: ``LanguageModelError/messageTooLong(tokens:capacity:)``.
  func checkLength(ofMessage text: String) throws(LanguageModelError) {
    let least = leastTokens(of: text)
    guard least <= contextLength else { throw .messageTooLong(tokens: least, capacity: contextLength) }
  }

  /// - Throws: `InferenceError.contextFull`.
  func checkLength(ofPrompt text: String) throws(InferenceError) {
    let least = leastTokens(of: text)
    guard least <= contextLength else { throw .contextFull(needed: least, capacity: contextLength) }
  }

  /// As many as the text has at least.
  private func leastTokens(of text: String) -> Int {
    // So few bytes are tokenized at once.
    text.utf8.count <= 1 << 16 ? 0 : text.utf8.count / longestToken
  }

  /// In bytes; at least 1.
  /// - Complexity: the first time O(bytes of the vocabulary).
  private var longestToken: Int {
    knownLongestToken.withLock { known in
      if let known { return known }
      var longest = 1
      var bytes: [UInt8] = []
      for id in 0..<Int32(clamping: tokenizer.vocabularySize) {
        bytes.removeAll(keepingCapacity: true)
        tokenizer.appendBytes(of: id, to: &bytes)
        longest = max(longest, bytes.count)
      }
      known = longest
      return longest
    }
  }
}
