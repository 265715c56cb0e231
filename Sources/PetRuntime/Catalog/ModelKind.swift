// SPDX-License-Identifier: Apache-2.0
/// What a model is for. Open: a program may add kinds of its own, by a name in the form of a model's.
public struct ModelKind: RawRepresentable, Hashable, Sendable, Codable {
  public let rawValue: String

  /// nil unless `rawValue` is formed like a model's name: lower-case letters, digits, `.`, `_`, `-`.
  public init?(rawValue: String) {
    guard Catalog.isName(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  private init(known: String) { rawValue = known }

  /// Talks.
  public static let language = ModelKind(known: "language")
  /// Finds the joints of a body in a picture.
  public static let pose = ModelKind(known: "pose")
  /// Hears mood in a voice.
  public static let affect = ModelKind(known: "affect")
  /// Reads a face.
  public static let expression = ModelKind(known: "expression")
  /// Reads how strained a person is from a table of signals.
  public static let stress = ModelKind(known: "stress")

  /// Those that this build knows itself.
  package static let known: [ModelKind] = [.language, .pose, .affect, .expression, .stress]

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let kind = ModelKind(rawValue: text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' cannot be a kind")
    }
    self = kind
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
