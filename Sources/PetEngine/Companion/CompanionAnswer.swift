/// What a companion answered, and who found the words.
public struct CompanionAnswer: Sendable, Equatable {
  public enum Source: String, Sendable {
    case model
    /// Hand-written, because the message told of danger.
    case rule
  }

  public var reply: Reply
  public var source: Source
  /// What the model did; it said nothing where `source` is a rule.
  public var generation: GenerationResult
}
