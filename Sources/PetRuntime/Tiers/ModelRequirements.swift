// SPDX-License-Identifier: Apache-2.0
/// What a model requires of a device.
public struct ModelRequirements: Sendable, Equatable, Codable {
  /// How much a model depends on 8-bit dot products in hardware.
  public enum Int8Hardware: String, Sendable, Codable, CaseIterable {
    /// Without it the model is not run.
    case required
    /// Without it a lower variant is taken.
    case recommended
    case optional
  }

  /// Bytes of memory, the model's own included, without which it is not run. A catalog says it in megabytes of 10^6 bytes.
  public var minimumMemory: UInt64
  /// Bytes of the file; in a catalog they stand with the file.
  public var size: UInt64
  public var int8Hardware: Int8Hardware
  /// The best tier that is worth its cost; a better one is used only where it is configured.
  public var recommendedQuality: ModelQuality
  /// Inferences per second; nil: on request.
  public var expectedFrequency: Double?

  public init(
    minimumMemory: UInt64, size: UInt64, int8Hardware: Int8Hardware = .optional,
    recommendedQuality: ModelQuality = .high, expectedFrequency: Double? = nil
  ) {
    self.minimumMemory = minimumMemory
    self.size = size
    self.int8Hardware = int8Hardware
    self.recommendedQuality = recommendedQuality
    self.expectedFrequency = expectedFrequency
  }

  private enum CodingKeys: String, CodingKey {
    case minimumMemoryMB = "minimum_memory_mb"
    case int8Hardware = "int8_hardware"
    case recommendedQuality = "recommended_quality"
    case expectedFrequency = "expected_frequency"
  }

  private static let megabyte: UInt64 = 1_000_000

  /// Reads what a catalog says.
  /// - Throws: `DecodingError`, also for more memory than any machine has.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let megabytes = try container.decode(UInt64.self, forKey: .minimumMemoryMB)
    guard (1...Self.megabyte).contains(megabytes) else {
      throw DecodingError.dataCorruptedError(
        forKey: .minimumMemoryMB, in: container,
        debugDescription: "\(megabytes) MB of memory cannot be; give a number from 1 to \(Self.megabyte)")
    }
    let frequency = try container.decodeIfPresent(Double.self, forKey: .expectedFrequency)
    if let frequency, !(frequency > 0 && frequency <= 10_000) {
      throw DecodingError.dataCorruptedError(
        forKey: .expectedFrequency, in: container,
        debugDescription: "\(frequency) is no frequency; give one above 0 and up to 10000 per second")
    }
    self.init(
      minimumMemory: megabytes * Self.megabyte, size: 0,
      int8Hardware: try container.decode(Int8Hardware.self, forKey: .int8Hardware),
      recommendedQuality: try container.decode(ModelQuality.self, forKey: .recommendedQuality),
      expectedFrequency: frequency)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(minimumMemory / Self.megabyte, forKey: .minimumMemoryMB)
    try container.encode(int8Hardware, forKey: .int8Hardware)
    try container.encode(recommendedQuality, forKey: .recommendedQuality)
    try container.encodeIfPresent(expectedFrequency, forKey: .expectedFrequency)
  }
}
