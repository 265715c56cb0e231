// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetLanguage
import PetMemory
import PetRuntime

/// What a companion answered, and who found the words.
public struct CompanionAnswer: Sendable, Equatable {
  /// Rungs by where their words come from.
  package enum Source: String, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
    case model
    /// Hand-written, from the bank of exchanges: the message came close to one of them.
    case bank
    /// Hand-written for a frequent message, or what was answered to the same request before.
    case cache
    /// Hand-written by any other rung.
    case rule

    package init(_ rung: Rung) {
      self =
        switch rung {
        case .model: .model
        case .bank: .bank
        case .frequent, .kept: .cache
        case .care, .honesty, .game, .memory, .untold, .life, .joke, .sum, .incomprehension, .knowledge, .told, .limits,
          .acknowledgement, .sympathy, .reflection, .replacement:
          .rule
        }
    }
  }

  /// What a person should be told beside the reply.
  public enum Notice: Sendable, Equatable {
    /// The message was too long: the model read its beginning and its end, so many characters.
    case shortened(characters: Int)
    /// Why the turn could not be kept.
    case notKept(String)
    /// A break is due, or it is night.
    case reminder(Reply)
    /// As the message asks for.
    case forgotten(Forgotten)

    var isOfShortening: Bool { if case .shortened = self { true } else { false } }
  }

  public enum Forgotten: Sendable, Equatable {
    case memories([Fact])
    /// All memories, and every conversation.
    case everything
  }

  public var reply: Reply
  /// Who found the words.
  public var rung: Rung
  /// What the model did; nothing where another than the model answered.
  public var generation: GenerationResult
  public var notices: [Notice] = []
  /// What the message told of, where the words are written for that.
  public var danger: Danger?
  /// That the words are written for danger, and where in it the conversation stands; nil: they are not.
  public var safety: SafetyEvent?
  /// Whether the words of the turn are written nowhere: they tell of danger, or stand beside such words.
  package var isUnwritten = false
  /// The model that wrote the words; nil where none did.
  public var model: ModelIdentity?
  /// What the model had before it; nil where none was asked, and for a pet that is only a system text.
  package var context: ContextReport?
  /// What stood in the prompt of the person, as the model reads it; empty where the words came before a prompt was made.
  public var memories: [String] = []

  package var source: Source { Source(rung) }

  /// How the words end: those that no model wrote are whole, however its draft ended.
  public var finishReason: GenerationResult.FinishReason {
    rung == .model || generation.finishReason == .cancelled ? generation.finishReason : .stop
  }

  /// Whether the reply was stopped before any of it was shown: the turn never was.
  package var isDiscarded: Bool { generation.finishReason == .cancelled && reply.text.isEmpty }

  package init(
    reply: Reply, rung: Rung, generation: GenerationResult, notices: [Notice] = [], context: ContextReport? = nil,
    memories: [String] = []
  ) {
    self.reply = reply
    self.rung = rung
    self.generation = generation
    self.notices = notices
    self.context = context
    self.memories = memories
  }
}

extension CompanionAnswer {
  /// Of a reply that was stopped before any of it was shown. What was left out for it is left out with the next.
  static func discarded(_ generation: GenerationResult) -> CompanionAnswer {
    var generation = generation
    (generation.text, generation.tokens, generation.probabilities) = ("", [], [])
    generation.usage.droppedTurns = 0
    return CompanionAnswer(reply: Reply(text: ""), rung: .model, generation: generation)
  }
}

extension GenerationResult {
  /// The negative logarithm of the probability of all of it, in nats, as far as probabilities were asked for.
  var surprise: Double { -probabilities.reduce(0) { $0 + Double($1.chosen.logProbability) } }

  /// Of a reply that no model wrote.
  static func withoutModel(_ text: String) -> GenerationResult {
    GenerationResult(text: text, tokens: [], finishReason: .stop)
  }
}
