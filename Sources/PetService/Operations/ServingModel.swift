import PetEngine

/// The model that answers, and how it runs.
package struct ServingModel: Codable, Sendable, Equatable {
  package let name: String
  package let architecture: String
  package let bytes: Int
  package let layers: Int
  package let contextLength: Int
  package let threads: Int
  package let kernels: String

  enum CodingKeys: String, CodingKey {
    case name, architecture, bytes, layers, threads, kernels
    case contextLength = "context_length"
  }

  package init(_ model: LanguageModel, named name: String) {
    self.name = name
    architecture = "\(model.configuration.architecture)"
    bytes = Int(clamping: model.weightBytes)
    layers = model.configuration.layerCount
    contextLength = model.contextLength
    threads = model.threadCount
    kernels = model.kernelName
  }
}
