// SPDX-License-Identifier: Apache-2.0
import Benchmark
import CPetKernels
import Glibc
import PetInference

/// The fastest kernels that this CPU runs, or those that `PET_KERNELS` names.
nonisolated(unsafe) let kernels: UnsafePointer<pk_kernels> = {
  let usable = KernelVariant.allCases.filter(\.isAvailable).map(\.rawValue)
  if let wanted = environment("PET_KERNELS"), !usable.contains(wanted) {
    fatalError("PET_KERNELS is \(wanted); this CPU runs \(usable)")
  }
  guard let best = pk_kernels_best() else { fatalError("no kernels") }
  return best
}()

func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// One thread, and one per processor.
let threadCounts: [Int] = {
  let all = sysconf(Int32(_SC_NPROCESSORS_ONLN))
  return all > 1 ? [1, all] : [1]
}()

let benchmarks: @Sendable () -> Void = {
  registerMatrixBenchmarks()
  registerPromptBenchmarks()
  registerAttentionBenchmarks()
  registerVectorBenchmarks()
  registerSamplerBenchmarks()
  registerTokenizerBenchmarks()
  registerLoadBenchmarks()
  registerThreadBenchmarks()
}
