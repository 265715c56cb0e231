// SPDX-License-Identifier: Apache-2.0
/// What a vocabulary entry is for; numbered as in GGUF's `tokenizer.ggml.token_type` and in SentencePiece's model format.
package enum TokenType: Int32, Sendable {
  /// Ordinary text.
  case normal = 1
  /// Stands for text that the vocabulary cannot spell.
  case unknown
  /// Structure that no text may produce: begin of sequence, turn markers.
  case control
  /// Text that is always one token.
  case userDefined
  /// A hole in the numbering.
  case unused
  /// One byte, written `<0xAB>`.
  case byte
}
