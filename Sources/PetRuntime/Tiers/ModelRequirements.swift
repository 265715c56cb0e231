/// What a model needs of the device that runs it.
public struct ModelRequirements: Sendable, Equatable, Codable {
  /// How much a model depends on 8-bit dot products in hardware.
  public enum Int8Hardware: String, Sendable, Codable, CaseIterable {
    /// Without it the model is not run.
    case required
    /// Without it a lower variant is taken.
    case recommended
    case optional
  }

  /// Bytes of memory, the model's own included, without which it is not run.
  public var minimumMemory: UInt64
  /// Bytes of the file.
  public var size: UInt64
  public var int8Hardware: Int8Hardware
  /// The best variant that pays for itself; a better one is used only where a person asks for it.
  public var recommendedQuality: ModelQuality
  /// Inferences per second.
  public var expectedFrequency: Double

  public init(
    minimumMemory: UInt64, size: UInt64, int8Hardware: Int8Hardware = .optional,
    recommendedQuality: ModelQuality = .high, expectedFrequency: Double
  ) {
    self.minimumMemory = minimumMemory
    self.size = size
    self.int8Hardware = int8Hardware
    self.recommendedQuality = recommendedQuality
    self.expectedFrequency = expectedFrequency
  }

  private enum CodingKeys: String, CodingKey {
    case size
    case minimumMemory = "minimum_memory"
    case int8Hardware = "int8_hardware"
    case recommendedQuality = "recommended_quality"
    case expectedFrequency = "expected_frequency"
  }

  /// Reads what a catalog says.
  /// - Throws: `DecodingError`, also for a frequency that is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    minimumMemory = try container.decode(UInt64.self, forKey: .minimumMemory)
    size = try container.decode(UInt64.self, forKey: .size)
    int8Hardware = try container.decode(Int8Hardware.self, forKey: .int8Hardware)
    recommendedQuality = try container.decode(ModelQuality.self, forKey: .recommendedQuality)
    expectedFrequency = try container.decode(Double.self, forKey: .expectedFrequency)
    guard expectedFrequency > 0, expectedFrequency <= 1000 else {
      throw DecodingError.dataCorruptedError(
        forKey: .expectedFrequency, in: container,
        debugDescription: "\(expectedFrequency) is no frequency; give one above 0 and up to 1000 per second")
    }
  }
}
