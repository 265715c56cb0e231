// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// The model that answers, and how it runs.
package struct ServingModel: Codable, Sendable, Equatable {
  package let name: String
  /// Of the variants of a model; nil where no catalog says.
  @OrNull package var tier: String?
  /// Of its file, or the name of what is part of this program.
  package let path: String
  package let architecture: String
  package let bytes: Int
  package let layers: Int
  package let contextLength: Int
  package let threads: Int
  package let kernels: String

  enum CodingKeys: String, CodingKey {
    case name, tier, path, architecture, bytes, layers, threads, kernels
    case contextLength = "context_length"
  }

  package init(_ model: LanguageModel, as identity: ModelIdentity) {
    name = identity.name
    tier = identity.tier
    path = model.path
    architecture = "\(model.configuration.architecture)"
    bytes = Int(clamping: model.weightBytes)
    layers = model.configuration.layerCount
    contextLength = model.contextLength
    threads = model.threadCount
    kernels = model.kernelName
  }
}
