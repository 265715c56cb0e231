// SPDX-License-Identifier: Apache-2.0
import PetInference
import Synchronization
import Testing

@Suite struct ThreadPoolTests {
  @Test(arguments: [1, 2, 5]) func runsEveryChunkOnce(_ threads: Int) {
    let pool = ThreadPool(threadCount: threads)
    #expect(pool.threadCount == threads)
    for count in [0, 1, 2, 3, 100, 70_000] {
      let seen = Mutex([Int](repeating: 0, count: count))
      pool.run(chunks: count) { worker, chunk in
        seen.withLock { $0[chunk] += 1 }
        if worker < 0 || worker >= threads { seen.withLock { $0[chunk] = -1 } }
      }
      #expect(seen.withLock { $0.allSatisfy { $0 == 1 } })
    }
  }

  /// Many short loops in a row, with pauses in which the threads fall asleep: none is lost, none runs twice.
  @Test func manyLoops() {
    let pool = ThreadPool(threadCount: 4)
    let sum = Atomic<Int>(0)
    for round in 0..<20_000 {
      pool.run(chunks: 3) { _, chunk in sum.add(chunk + 1, ordering: .relaxed) }
      if round % 5_000 == 0 { for _ in 0..<3_000_000 { _ = sum.load(ordering: .relaxed) } }
    }
    #expect(sum.load(ordering: .sequentiallyConsistent) == 20_000 * 6)
  }

  @Test func poolsComeAndGo() {
    for _ in 0..<200 {
      let pool = ThreadPool(threadCount: 3)
      let sum = Atomic<Int>(0)
      pool.run(chunks: 8) { _, chunk in sum.add(chunk, ordering: .relaxed) }
      #expect(sum.load(ordering: .relaxed) == 28)
    }
  }
}
