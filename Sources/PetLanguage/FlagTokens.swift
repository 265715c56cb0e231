// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetTokenizer

/// Tokens by which a model says, at the start of a reply, that something else is to answer. They are never part of a text.
package struct FlagTokens: Sendable, Equatable {
  package var tokens: [Int32]
  /// How likely they must be together to be raised, from 0 to 1; 1: they never are.
  package var threshold: Float

  package init(tokens: [Int32], threshold: Float) {
    self.tokens = tokens
    self.threshold = threshold
  }

  /// The likeliest flag where their probabilities sum to more than the threshold.
  /// - Parameter logits: of the whole vocabulary.
  package func raised(by logits: UnsafeBufferPointer<Float>) -> Int32? {
    guard threshold < 1 else { return nil }
    let known = tokens.filter { logits.indices.contains(Int($0)) }
    guard let best = known.max(by: { logits[Int($0)] < logits[Int($1)] }), let peak = logits.max() else { return nil }
    let all = logits.reduce(Float(0)) { $0 + expf($1 - peak) }
    let own = known.reduce(Float(0)) { $0 + expf(logits[Int($1)] - peak) }
    return own / all > threshold ? best : nil
  }

  /// Makes tokens impossible to draw.
  package static func exclude(_ tokens: [Int32], from logits: UnsafeMutableBufferPointer<Float>) {
    for token in tokens where logits.indices.contains(Int(token)) { logits[Int(token)] = -.infinity }
  }

  /// The GGUF metadata key of a model that was taught to raise them: how likely they must be together, in percent, at the start of
  /// a reply, where nothing else says.
  package static let metadataKey = "pet.danger_flags"

  /// What they are spelled with, one token each: control characters but tabulator and line breaks, which no text has.
  /// O(bytes of the vocabulary).
  static func reserved(in tokenizer: any Tokenizer) -> [Int32] {
    var bytes: [UInt8] = []
    return (0..<Int32(clamping: tokenizer.vocabularySize)).filter { id in
      bytes.removeAll(keepingCapacity: true)
      tokenizer.appendBytes(of: id, to: &bytes)
      guard bytes.count == 1, let byte = bytes.first else { return false }
      return byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
    }
  }
}
