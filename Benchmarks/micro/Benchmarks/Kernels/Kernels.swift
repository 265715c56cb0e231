import Benchmark
import CPetKernels
import Glibc

/// The fastest kernels that this CPU runs, or those that `PET_KERNELS` names: scalar, avx2, avx512-vnni and so on.
nonisolated(unsafe) let kernels: UnsafePointer<pk_kernels> = {
  guard let wanted = environment("PET_KERNELS") else {
    guard let best = pk_kernels_best() else { fatalError("no kernels") }
    return best
  }
  let tables = (0..<32).compactMap { pk_kernels_for(pk_variant(rawValue: $0)) }
  guard let table = tables.first(where: { String(cString: $0.pointee.name) == wanted }) else {
    fatalError("PET_KERNELS is \(wanted); this CPU runs \(tables.map { String(cString: $0.pointee.name) })")
  }
  return table
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
