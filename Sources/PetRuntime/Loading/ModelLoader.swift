// SPDX-License-Identifier: Apache-2.0
/// One version of a model, and how it is loaded. Makes nothing by itself.
public struct ModelLoader<Model: Sendable>: Sendable {
  /// Called with the completed part, from 0 to 1, at any rate.
  public typealias Progress = @Sendable (Double) -> Void

  /// Tells versions and tiers apart: "v3", "high".
  public var version: String
  /// Bytes of memory that the loaded model will take.
  public var bytes: UInt64
  /// Throws where the files are not what they should be.
  public var validate: @Sendable () async throws -> Void
  /// Makes the model. Its task is cancelled once nobody waits for the model.
  public var load: @Sendable (_ progress: @escaping Progress) async throws -> Model
  /// Whether what it takes the place of is another model: of that one nothing better stays to step up to.
  package var isAnotherModel = false
  /// Called when it takes the place of another version, before anybody uses it there.
  package var onAdopt: @Sendable () -> Void = {}

  public init(
    version: String, bytes: UInt64, validate: @escaping @Sendable () async throws -> Void = {},
    load: @escaping @Sendable (_ progress: @escaping Progress) async throws -> Model
  ) {
    self.version = version
    self.bytes = bytes
    self.validate = validate
    self.load = load
  }
}
