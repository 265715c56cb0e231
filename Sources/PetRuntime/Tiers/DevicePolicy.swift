// SPDX-License-Identifier: Apache-2.0
/// What heat, battery and pressure ask for. Each answer is the same for the same facts, and worse facts never give more.
package enum DevicePolicy {
  /// Percent of the battery below which a machine that lives on it saves what it can.
  package static let lowBattery = 20

  /// Variants to go down when it is hot.
  package static func stepsDown(thermal state: ThermalState?) -> Int {
    switch state {
    case nil, .nominal, .fair: 0
    case .serious: 1
    case .critical: 2
    }
  }

  /// Variants to go down on little power.
  package static func stepsDown(_ power: PowerFacts) -> Int { isShort(power) ? 1 : 0 }

  /// Variants to go down when memory is short.
  package static func stepsDown(_ pressure: MemoryPressureLevel) -> Int {
    switch pressure {
    case .normal: 0
    case .warning: 1
    case .critical: 2
    }
  }

  /// The part of a model's usual rate that remains when it is hot.
  package static func rate(thermal state: ThermalState?) -> Double {
    switch state {
    case nil, .nominal, .fair: 1
    case .serious: 0.75
    case .critical: 0.5
    }
  }

  /// Whether models that nobody waits for may run.
  package static func allowsOptionalModels(_ power: PowerFacts) -> Bool { !isBelowLimit(power) }

  private static func isShort(_ power: PowerFacts) -> Bool { power.isSavingPower || isBelowLimit(power) }

  private static func isBelowLimit(_ power: PowerFacts) -> Bool {
    power.isOnBattery && (power.battery?.capacity).map { $0 < lowBattery } ?? false
  }
}
