// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A type that says itself what its values look like, closer than its properties do.
///
/// ```swift
/// struct Walk: Generable {
///   let place: String
///   let minutes: Int
///
///   static let schema = GenerationSchema.object(["place": .string(maximumLength: 40), "minutes": .integer(in: 5...90)])
/// }
///
/// let walk = try await session.respond(to: "Where shall we go?", generating: Walk.self).value
/// ```
public protocol Generable: Decodable, Sendable {
  static var schema: GenerationSchema { get }
}

/// A value that a model gave.
public struct Generated<Value: Sendable>: Sendable {
  public let value: Value
  public let result: GenerationResult
}

extension LanguageModelSession {
  /// Answers `message` with a value: the reply is held to the schema of the type, and decoded. It becomes part of the conversation
  /// as JSON.
  /// - Parameters:
  ///   - type: with a schema of its own (``Generable``), or one that ``GenerationSchema/init(of:)`` derives.
  ///   - options: with room for the longest value; their own grammar and stop strings, which would cut
  ///     it, do not count.
  /// - Throws: `GenerationSchemaError` for a type that needs a schema of its own; `LanguageModelError.incompleteValue` where the
  ///   reply ended before the value did, `CancellationError` where the task was cancelled before: the conversation has then what there
  ///   is; `GrammarError` for a schema that cannot be enforced; as ``respond(to:options:onText:)``.
  public func respond<Value: Decodable & Sendable>(
    to message: String, generating type: Value.Type = Value.self, options: GenerationOptions = GenerationOptions()
  ) async throws -> Generated<Value> {
    var options = options
    options.stopStrings = []
    options.grammar = try model.outputGrammar(jsonSchema: GenerationSchema(of: type).json)
    let result = try await respond(to: message, options: options) { _ in }
    do {
      return Generated(value: try JSONDecoder().decode(Value.self, from: Data(result.text.utf8)), result: result)
    } catch {
      if result.finishReason == .cancelled { throw CancellationError() }
      throw LanguageModelError.incompleteValue(type: "\(Value.self)", reason: result.finishReason)
    }
  }
}
