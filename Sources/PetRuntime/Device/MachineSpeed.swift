// SPDX-License-Identifier: Apache-2.0
/// What this machine was measured to do.
package struct MachineSpeed: Sendable, Equatable {
  /// On what it was measured: on anything else the figures say nothing.
  package struct Conditions: Sendable, Equatable, Codable {
    /// As /proc/cpuinfo names it.
    package let processor: String
    package let threads: Int
    /// The kernels that computed: "avx2".
    package let kernels: String
    /// Version of the program.
    package let program: String
    /// "release", "debug"
    package let build: String

    package init(
      processor: String, threads: Int, kernels: String, program: String = PetVersion.current,
      build: String = BuildFacts.current.configuration
    ) {
      self.processor = processor
      self.threads = threads
      self.kernels = kernels
      self.program = program
      self.build = build
    }
  }

  package let conditions: Conditions
  /// Bytes read from memory per second, by all threads.
  package let memory: Double
  /// Products of two 8-bit integers, each added to a sum, per second, one token in a pass.
  package let oneToken: Double
  /// The same with many tokens in a pass.
  package let manyTokens: Double

  package init(_ conditions: Conditions, memory: Double, oneToken: Double, manyTokens: Double) {
    self.conditions = conditions
    self.memory = memory
    self.oneToken = oneToken
    self.manyTokens = manyTokens
  }

  /// An estimate of the tokens per second that a model writes: each takes the time of reading all bytes of its file from memory, and that
  /// of a product for each weight.
  package func writing(bytes: UInt64, parameters: UInt64) -> Double {
    1 / (Double(max(1, bytes)) / memory + Double(max(1, parameters)) / oneToken)
  }

  /// An estimate of the tokens of a prompt that a model reads per second: a product for each weight. The bytes of the file, read once
  /// for many tokens, do not count.
  package func reading(parameters: UInt64) -> Double { manyTokens / Double(max(1, parameters)) }
}

extension MachineSpeed: Codable {
  package enum CodingKeys: String, CodingKey {
    case conditions = "measured_on"
    case memory = "memory_bytes_per_second"
    case oneToken = "products_per_second_one_token"
    case manyTokens = "products_per_second_many_tokens"
  }

  /// No machine does more in a second.
  private static let most = 1e18

  /// - Throws: `DecodingError`, also for figures that no measurement gives.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func figure(_ key: CodingKeys) throws -> Double {
      let value = try container.decode(Double.self, forKey: key)
      guard (1...Self.most).contains(value) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "\(value) is no speed; remove the file, it is made anew")
      }
      return value
    }
    self.init(
      try container.decode(Conditions.self, forKey: .conditions), memory: try figure(.memory),
      oneToken: try figure(.oneToken), manyTokens: try figure(.manyTokens))
  }
}
