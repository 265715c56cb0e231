// SPDX-License-Identifier: Apache-2.0
import Benchmark
import PetInference

/// What it costs to start a loop on all threads and to wait for its end.
func registerThreadBenchmarks() {
  for threads in threadCounts {
    var pool: ThreadPool?
    Benchmark(
      "an empty loop, \(threads) thread\(threads > 1 ? "s" : "")",
      configuration: .init(
        metrics: [.wallClock], timeUnits: .nanoseconds, scalingFactor: .kilo, maxDuration: .milliseconds(300))
    ) { benchmark in
      let threadPool = pool ?? ThreadPool(threadCount: threads)
      pool = threadPool
      for _ in benchmark.scaledIterations { threadPool.run(chunks: 2 * threads) { _, chunk in blackHole(chunk) } }
    }
  }
}
