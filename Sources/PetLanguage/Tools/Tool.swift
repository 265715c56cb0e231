// SPDX-License-Identifier: Apache-2.0
/// Something that a model may ask the program to do while it answers.
///
/// ```swift
/// struct Weather: Tool {
///   struct Arguments: Decodable { var city: String }
///   let name = "weather"
///   let description = "Tells the weather of a city."
///   let parameters = GenerationSchema.object(["city": .string().described("its name")])
///   func call(arguments: Arguments) async throws -> String { try await forecast(arguments.city) }
/// }
/// ```
public protocol Tool<Arguments>: Sendable {
  associatedtype Arguments: Decodable & Sendable

  /// What the model calls it: 1 to 64 letters, digits, "_" and "-".
  var name: String { get }
  /// What it does, for the model: a sentence.
  var description: String { get }
  /// What it takes: what `Arguments` is decoded from.
  var parameters: GenerationSchema { get }

  /// Does it. The task is cancelled when the reply is, and when the time is up.
  /// - Returns: what the model reads of it.
  func call(arguments: Arguments) async throws -> String
}

/// A tool made of a closure.
public struct ClosureTool<Arguments: Decodable & Sendable>: Tool {
  public let name: String
  public let description: String
  public let parameters: GenerationSchema
  private let body: @Sendable (Arguments) async throws -> String

  public init(
    _ name: String, _ description: String, _ parameters: GenerationSchema,
    taking arguments: Arguments.Type = Arguments.self,
    call: @escaping @Sendable (Arguments) async throws -> String
  ) {
    self.name = name
    self.description = description
    self.parameters = parameters
    body = call
  }

  public func call(arguments: Arguments) async throws -> String { try await body(arguments) }
}
