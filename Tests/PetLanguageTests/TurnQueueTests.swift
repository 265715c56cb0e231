// SPDX-License-Identifier: Apache-2.0
import PetLanguage
import Testing

@Suite("Turns that follow one another", .timeLimit(.minutes(1)))
struct TurnQueueTests {
  @Test("who is cancelled while another has the turn goes at once, and is passed over")
  func cancelled() async throws {
    let queue = TurnQueue()
    await queue.begin()
    for _ in 0..<100 {
      let left = Task { try await queue.beginUnlessCancelled() }
      await Task.yield()
      left.cancel()
      await #expect(throws: CancellationError.self) { try await left.value }
    }
    let next = Task { try await queue.beginUnlessCancelled() }
    let last = Task { await queue.begin() }
    queue.end()
    try await next.value
    queue.end()
    await last.value
    queue.end()
    try await queue.beginUnlessCancelled()
  }

  @Test("of many who wait and may be cancelled each has its turn alone, or none")
  func many() async {
    let queue = TurnQueue()
    var count = 0
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let turn = Task {
            try await queue.beginUnlessCancelled()
            await Task.yield()
            queue.end()
          }
          if number % 3 == 0 { turn.cancel() }
          return (try? await turn.value) != nil
        }
      }
      for await hasBegun in group where hasBegun { count += 1 }
    }
    #expect(count >= 133)
    await queue.begin()
  }
}
