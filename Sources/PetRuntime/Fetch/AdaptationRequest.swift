/// What is to be made of a model and an adapter.
public struct AdaptationRequest: Sendable, Equatable {
  /// Path of the model that is adapted.
  public let base: String
  /// Path of the adapter.
  public let adapter: String
  /// Path of the file to make.
  public let output: String
  /// Type of the matrices.
  public let type: String
  /// Those that have another type: "PATTERN=TYPE", of which the last that matches counts.
  public let keep: [String]
}
