// SPDX-License-Identifier: Apache-2.0
extension LanguageModel.LoadOptions {
  /// What a configuration asks for.
  /// - Parameter kernelVariant: the kernels to use; nil: the fastest that this CPU runs.
  public init(_ configuration: Configuration, kernelVariant: KernelVariant? = nil) {
    self.init(
      threadCount: configuration.threads.value, contextLength: configuration.context.value,
      weightLayout: .init(configuration.weights.value), cachePrecision: .init(configuration.cachePrecision.value),
      kernelVariant: kernelVariant)
    savesMemory = configuration.profile.value == .watch
  }
}

extension WeightLayout {
  package init(_ layout: Configuration.WeightLayout) {
    switch layout {
    case .interleaved: self = .interleaved
    case .rowMajor: self = .rowMajor
    }
  }
}

extension KVCache.Precision {
  package init(_ precision: Configuration.CachePrecision) {
    switch precision {
    case .f32: self = .f32
    case .f16: self = .f16
    case .q8_0: self = .q8_0
    }
  }
}
