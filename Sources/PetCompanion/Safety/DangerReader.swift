// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetRuntime

/// Reads a line as a whole, every word beside every other, and what came before it: `danger-reader-v1.gguf`.
struct DangerReader: Sendable {
  private let encoder: LineEncoder
  private let pieces: WordPieces
  private let opening, closing: Int

  /// The one that is built in.
  static let standard: DangerReader = {
    let name = "danger-reader-v1.gguf"
    // Part of the build, and read by a test: no other outcome is possible.
    guard let bytes = BuiltInFiles.bytes(named: name), let encoder = try? LineEncoder(permanent: bytes, named: name),
      let reader = DangerReader(encoder)
    else { preconditionFailure("Models/\(name) cannot be read") }
    return reader
  }()

  /// Nil for an encoder of other questions.
  init?(_ encoder: LineEncoder) {
    guard encoder.classes == DangerClassifier.heads.reduce(0, +), let pieces = WordPieces(encoder.pieces),
      let opening = pieces.row("[CLS]"), let closing = pieces.row("[SEP]")
    else { return nil }
    (self.encoder, self.pieces, self.opening, self.closing) = (encoder, pieces, opening, closing)
  }

  /// How likely each class of each of ``DangerClassifier/heads`` is; of a long line, those of the part that tells most of danger. Nil where
  /// there is no memory for it.
  ///
  /// Complexity: as of ``LineEncoder/answers(to:behind:opening:closing:)``, for at most six parts.
  func likelihoods(_ words: [String], before: [String]) -> [Float]? {
    let earlier = pieces.rows(of: before.suffix(WordClassifier.window))
    var best: [Float]?
    for part in WordClassifier.parts(of: words) {
      guard
        var rest = try? encoder.answers(
          to: pieces.rows(of: part), behind: earlier, opening: opening, closing: closing)[...]
      else { return nil }
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
