// SPDX-License-Identifier: Apache-2.0
/// What a model's file was measured to do on this machine.
package struct ModelMeasurement: Sendable, Equatable, Codable {
  /// Of the file that was measured.
  package let sha256: SHA256Hash
  /// exp of the mean surprise of a token of the text.
  package let perplexity: Double
  /// The same per byte: compares models of different vocabularies.
  package let bitsPerByte: Double
  /// Tokens of a chunk.
  package let context: Int
  package let textSHA256: SHA256Hash

  package init(
    sha256: SHA256Hash, perplexity: Double, bitsPerByte: Double, context: Int, textSHA256: SHA256Hash
  ) {
    self.sha256 = sha256
    self.perplexity = perplexity
    self.bitsPerByte = bitsPerByte
    self.context = context
    self.textSHA256 = textSHA256
  }

  enum CodingKeys: String, CodingKey {
    case sha256, perplexity, context
    case bitsPerByte = "bits_per_byte"
    case textSHA256 = "text_sha256"
  }
}
