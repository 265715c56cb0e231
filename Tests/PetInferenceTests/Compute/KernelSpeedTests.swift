// SPDX-License-Identifier: Apache-2.0
import PetInference
import Testing

@Suite("A short measurement of memory and kernels")
struct KernelSpeedTests {
  @Test("every figure is one that a machine can have; with too little memory there are none")
  func figures() throws {
    let speed = try #require(KernelSpeed.measure(threads: 2, bytes: KernelSpeed.leastBytes))
    // The slowest kernels on a busy machine, and more than any memory or processor does.
    for figure in [speed.memory, speed.oneToken, speed.manyTokens] {
      #expect((1e6...1e15).contains(figure), "\(speed)")
    }
    #expect(KernelSpeed.measure(threads: 1, bytes: KernelSpeed.leastBytes - 1) == nil)
    #expect(KernelSpeed.measure(threads: 1, bytes: 0) == nil)
  }
}
