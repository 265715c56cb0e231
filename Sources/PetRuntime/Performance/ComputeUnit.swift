// SPDX-License-Identifier: Apache-2.0
/// What computes a model.
public enum ComputeUnit: String, Sendable, CaseIterable {
  case accelerator, gpu, cpu

  /// Percent of a telephone's battery that a tenth of a second costs: an estimate, and the seed of this project's.
  package var percentPerTenth: Double {
    switch self {
    case .accelerator: 0.01
    case .gpu: 0.02
    case .cpu: 0.03
    }
  }

  /// Percent of a battery that computing for so long costs.
  package func percent(for time: Duration) -> Double { percentPerTenth * (time / .milliseconds(100)) }
}
