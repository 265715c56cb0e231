// SPDX-License-Identifier: Apache-2.0
import PetTokenizer

/// Why a language model cannot do what it was asked.
public enum LanguageModelError: Error, Equatable, CustomStringConvertible {
  /// The tokenizer of a file was refused.
  case tokenizer(path: String, TokenizerError)
  /// The vocabulary and the embedding disagree.
  case vocabularySize(path: String, tokens: Int, rows: Int)
  /// A model that is to guess what another says has other tokens.
  case otherVocabulary(path: String)
  /// The file says nothing of how a conversation is written.
  case noChatTemplate(path: String)
  /// The message and the system text alone need more tokens than the context has.
  case messageTooLong(tokens: Int, capacity: Int)
  case emptyPrompt
  /// A text that is to become a vector has no token.
  case emptyText
  /// More tokens at once than the model was trained for.
  case contextTooLong(path: String, tokens: Int, trained: Int)
  /// As many requests run and wait as may.
  case overloaded(running: Int, waiting: Int)
  /// A grammar that was made for a model with other tokens.
  case grammarOfOtherModel
  /// What was written ended before it was a value, or the type does not decode what its schema allows.
  case incompleteValue(type: String, reason: GenerationResult.FinishReason)
  /// A chunk in which nothing has a past.
  case chunkTooShort(tokens: Int)
  /// Fewer tokens than can be judged by.
  case textTooShort(tokens: Int, needed: Int)

  public var description: String {
    switch self {
    case .tokenizer(let path, let error):
      error == .unknownChatTemplate || "\(error)".contains(";")
        ? "\(path): \(error)" : "\(path): \(error); convert the model again, or choose another"
    case .vocabularySize(let path, let tokens, let rows):
      "\(path): tokenizer.ggml.tokens has \(tokens) entries and token_embd.weight \(rows) rows; convert the model again"
    case .otherVocabulary(let path):
      "\(path): its vocabulary is not that of the model it is to guess for; choose one of the same family"
    case .noChatTemplate(let path):
      "\(path): key tokenizer.chat_template is missing, so the model cannot hold a conversation; use `pet complete`, or "
        + "an instruction-tuned model"
    case .messageTooLong(let tokens, let capacity):
      "the message needs \(tokens) tokens with its system text and room for a reply, and the context has \(capacity); "
        + "shorten it"
    case .emptyPrompt: "the prompt is empty; give some text"
    case .emptyText: "the text is empty; give some"
    case .contextTooLong(let path, let tokens, let trained):
      "\(path): \(tokens) tokens are more than the \(trained) that the model was trained for; ask for at most \(trained)"
    case .overloaded(let running, let waiting):
      "\(running) replies are being written and \(waiting) requests wait; try again in a while"
    case .grammarOfOtherModel: "the grammar was made for another model; make it again for this one"
    case .incompleteValue(let type, .stop):
      "a whole value was written that \(type) does not decode; compare the type with its schema"
    case .incompleteValue(let type, let reason):
      "no whole \(type) was written (\(reason.rawValue)); allow more tokens, or give its schema shorter strings and arrays"
    case .chunkTooShort(let tokens): "chunks of \(tokens) tokens cannot be judged by; give at least 3"
    case .textTooShort(let tokens, let needed):
      "the text has \(tokens) tokens, and at least \(needed) are needed; give a longer text, or shorter chunks"
    }
  }
}
