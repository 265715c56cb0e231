// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetRuntime

/// Reads a line as a whole, every word beside every other, and what stands behind it: a ``LineEncoder`` with its pieces of words.
struct LineReader: Sendable {
  private let encoder: LineEncoder
  private let pieces: WordPieces
  private let opening, closing: Int

  /// Nil for an encoder of other questions.
  init?(_ encoder: LineEncoder, classes: Int) {
    guard encoder.classes == classes, let pieces = WordPieces(encoder.pieces), let opening = pieces.row("[CLS]"),
      let closing = pieces.row("[SEP]")
    else { return nil }
    (self.encoder, self.pieces, self.opening, self.closing) = (encoder, pieces, opening, closing)
  }

  /// One that is part of the build, and read by a test.
  static func builtIn(_ name: String, classes: Int) -> LineReader {
    guard let bytes = BuiltInFiles.bytes(named: name), let encoder = try? LineEncoder(permanent: bytes, named: name),
      let reader = LineReader(encoder, classes: classes)
    else { preconditionFailure("Models/\(name) cannot be read") }
    return reader
  }

  /// [classes], as the last layer says it; nil where there is no memory for it.
  ///
  /// Complexity: as of ``LineEncoder/answers(to:behind:opening:closing:)``.
  func answers(_ words: some Sequence<String>, beside other: some Sequence<String>) -> [Float]? {
    try? encoder.answers(
      to: pieces.rows(of: words), behind: pieces.rows(of: other), opening: opening, closing: closing)
  }
}
