// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// What a ``ScriptedModel`` does when it is asked: text in pieces, then an end or an error.
public struct ScriptedReply: Sendable {
  public enum Ending: Sendable {
    case finished(GenerationResult.FinishReason)
    /// The conversation is then as before.
    case failed(any Error)
    /// Nothing more comes until the task is cancelled.
    case held
  }

  /// Each is one token.
  public var pieces: [String]
  public var ending: Ending
  /// Time before each piece, by the clock of the model.
  public var delay: Duration?
  /// Nil: words of the conversation so far, and pieces.
  public var usage: GenerationResult.Usage?

  public init(
    pieces: [String], ending: Ending = .finished(.stop), delay: Duration? = nil, usage: GenerationResult.Usage? = nil
  ) {
    self.pieces = pieces
    self.ending = ending
    self.delay = delay
    self.usage = usage
  }

  /// A text that comes word by word.
  public static func text(_ text: String, _ reason: GenerationResult.FinishReason = .stop) -> ScriptedReply {
    ScriptedReply(pieces: words(text), ending: .finished(reason))
  }

  /// An error, perhaps after the beginning of a reply.
  public static func failure(_ error: any Error, after text: String = "") -> ScriptedReply {
    ScriptedReply(pieces: words(text), ending: .failed(error))
  }

  /// What a model says that has too much to do.
  public static func overloaded(running: Int = 16, waiting: Int = 256) -> ScriptedReply {
    .failure(LanguageModelError.overloaded(running: running, waiting: waiting))
  }

  /// The beginning of a reply that goes on only when it is cancelled.
  public static func held(after text: String = "") -> ScriptedReply {
    ScriptedReply(pieces: words(text), ending: .held)
  }

  /// A model that asks for a tool.
  /// - Parameter arguments: a JSON object.
  public static func call(_ tool: String, arguments: String) -> ScriptedReply {
    ScriptedReply(pieces: [#"{"tool": "\#(tool)", "#, #""arguments": \#(arguments)}"#])
  }

  /// The same, with time before each piece.
  public func delayed(by delay: Duration) -> ScriptedReply {
    var reply = self
    reply.delay = delay
    return reply
  }

  /// Each with the space before it.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    for character in text {
      if words.isEmpty || (character.isWhitespace && words.last?.last?.isWhitespace == false) {
        words.append("")
      }
      words[words.count - 1].append(character)
    }
    return words
  }
}

/// What a ``ScriptedModel`` was asked.
public struct ScriptedRequest: Sendable, Equatable {
  public var instructions: String?
  /// The conversation before it.
  public var transcript: [LanguageModelSession.Turn]
  public var message: String
  public var options: GenerationOptions

  public init(
    instructions: String?, transcript: [LanguageModelSession.Turn], message: String, options: GenerationOptions
  ) {
    self.instructions = instructions
    self.transcript = transcript
    self.message = message
    self.options = options
  }
}

/// A script has come to its end, and was asked again.
public struct ScriptEndedError: Error, Equatable, CustomStringConvertible {
  /// How often the model was asked before.
  public var replies: Int

  public init(replies: Int) { self.replies = replies }

  public var description: String {
    "the script has \(replies) replies, and one more was asked for; add it to the ScriptedModel"
  }
}
