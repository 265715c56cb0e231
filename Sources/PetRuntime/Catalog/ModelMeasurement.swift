// SPDX-License-Identifier: Apache-2.0
/// What a model's file was measured to do on this machine.
public struct ModelMeasurement: Sendable, Equatable, Codable {
  /// Of the file that was measured.
  public let sha256: SHA256Hash
  /// exp of the mean surprise of a token of the text.
  public let perplexity: Double
  /// The same per byte: compares models of different vocabularies.
  public let bitsPerByte: Double
  /// Tokens of a chunk.
  public let context: Int
  public let textSHA256: SHA256Hash

  public init(
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
