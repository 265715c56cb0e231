// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetRuntime

extension MachineSpeed {
  /// Measures this machine, which takes about a quarter of a second and, for that long, up to 96 MiB of memory.
  /// - Parameter device: with how many threads, and how much memory is free.
  /// - Returns: nil where too little memory is free.
  package static func measure(_ device: DeviceCapability) -> MachineSpeed? {
    let conditions = device.conditions
    let bytes = min(KernelSpeed.usualBytes, Int(clamping: device.device.memory.available / 4))
    return KernelSpeed.measure(threads: conditions.threads, bytes: bytes).map {
      MachineSpeed(conditions, memory: $0.memory, oneToken: $0.oneToken, manyTokens: $0.manyTokens)
    }
  }
}
