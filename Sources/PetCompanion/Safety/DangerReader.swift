// SPDX-License-Identifier: Apache-2.0
/// Reads a line as a whole, and what came before it: `danger-reader-v3.gguf`.
struct DangerReader: Sendable {
  private let reader: LineReader

  /// The one that is built in.
  static let standard = DangerReader(
    reader: .builtIn("danger-reader-v3.gguf", classes: DangerClassifier.heads.reduce(0, +)))

  /// How likely each class of each of ``DangerClassifier/heads`` is; of a long line, those of the part that tells most of danger. Nil where
  /// there is no memory for it.
  ///
  /// Complexity: as of ``LineReader/answers(_:beside:)``, for at most six parts.
  func likelihoods(_ words: [String], before: [String]) -> [Float]? {
    var best: [Float]?
    for part in WordClassifier.parts(of: words) {
      guard var rest = reader.answers(part, beside: before.suffix(WordClassifier.window))?[...] else { return nil }
      var likelihoods: [Float] = []
      for count in DangerClassifier.heads {
        likelihoods += WordClassifier.softmax(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      if let found = best, found[0] <= likelihoods[0] { continue }
      best = likelihoods
    }
    return best
  }
}
