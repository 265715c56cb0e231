// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Foundation
import Synchronization
import Testing

@Suite struct FutexTests {
  @Test func aStaleExpectationReturnsAtOnce() {
    let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    defer { word.deallocate() }
    word.initialize(to: 1)
    pk_futex_wait(word, 0)
    pk_futex_wake(word, 1)
    pk_pause()
    #expect(word.pointee == 1)
  }

  @Test(.timeLimit(.minutes(1))) func aSleeperIsWoken() async {
    let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)
    word.initialize(to: Atomic(0))
    let address = UInt(bitPattern: word)
    let thread = Thread {
      guard let word = UnsafeMutablePointer<Atomic<UInt32>>(bitPattern: address) else { return }
      while word.pointee.load(ordering: .acquiring) == 0 {
        pk_futex_wait(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self), 0)
      }
      word.pointee.store(2, ordering: .releasing)
    }
    thread.start()
    try? await Task.sleep(for: .milliseconds(20))
    word.pointee.store(1, ordering: .releasing)
    while word.pointee.load(ordering: .acquiring) != 2 {
      pk_futex_wake(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self), 1)
      try? await Task.sleep(for: .milliseconds(1))
    }
    // Reached only when the sleeper has answered; the time limit fails the test otherwise.
    #expect(word.pointee.load(ordering: .relaxed) == 2)
    word.deinitialize(count: 1)
    word.deallocate()
  }
}
