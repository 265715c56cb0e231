// SPDX-License-Identifier: Apache-2.0
extension ModelStore {
  /// Whether the language model that a configuration means could be loaded: whether it is here, is a file that this engine runs, and
  /// fits in memory. Of the file only the header is read.
  /// - Parameter room: bytes that can be had from the machine; nil: not known.
  public func availability(
    _ configuration: Configuration, room: UInt64? = MemoryRoom.read()?.available
  ) -> ModelAvailability {
    var facts = ModelAvailability.Facts()
    facts.memory = MemoryBudget(configuration, room: room)
    do {
      let selection = try select(configuration)
      facts.needed = try Self.bytes(selection.location, configuration)
      for smaller in selection.smaller where facts.needed > configuration.memoryBudget.value {
        facts.needed = try Self.bytes(smaller, configuration)
      }
    } catch let error as ModelStoreError {
      facts.problem = error
    } catch {
      facts.refusal = "\(error)"
    }
    return ModelAvailability(facts)
  }

  /// What a file takes in memory; unlike a loader, it says what is wrong with a header.
  private static func bytes(_ location: ModelLocation, _ configuration: Configuration) throws -> UInt64 {
    let file = try GGUFFile(location)
    let weights = try TransformerWeights(file: file, layout: .rowMajor)
    try LanguageModel.checkTokenizer(of: file, weights.configuration)
    return UInt64(try MemoryEstimate(file, .init(configuration)).model)
  }
}

extension MemoryBudget {
  /// What the first model of a program may take: what a configuration allows, and no more than the machine has.
  /// - Parameter room: bytes that can be had from the machine; nil: not known.
  package init(_ configuration: Configuration, room: UInt64? = MemoryRoom.read()?.available) {
    self.init(budget: configuration.memoryBudget.value, reserved: 0, room: room)
  }
}
