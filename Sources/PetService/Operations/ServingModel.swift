import PetEngine

/// The model that answers, and how it runs.
package struct ServingModel: Codable, Sendable, Equatable {
  package let name: String
  /// Of the variants of a model; nil where no catalog says.
  package let tier: String?
  package let architecture: String
  package let bytes: Int
  package let layers: Int
  package let contextLength: Int
  package let threads: Int
  package let kernels: String

  enum CodingKeys: String, CodingKey {
    case name, tier, architecture, bytes, layers, threads, kernels
    case contextLength = "context_length"
  }

  package init(_ model: LanguageModel, as identity: ModelIdentity) {
    (name, tier) = (identity.name, identity.tier)
    architecture = "\(model.configuration.architecture)"
    bytes = Int(clamping: model.weightBytes)
    layers = model.configuration.layerCount
    contextLength = model.contextLength
    threads = model.threadCount
    kernels = model.kernelName
  }
}
