// SPDX-License-Identifier: Apache-2.0
import PetService
import Testing

@Suite("A text that is being written", .timeLimit(.minutes(1)))
struct WrittenTextTests {
  @Test("is written no further when nobody is left who could read it")
  func dropped() async throws {
    let (stopped, stop) = AsyncStream.makeStream(of: Void.self)
    _ = try await WrittenText<String, Void> { onText in
      defer { stop.finish() }
      onText("Once")
      try await Task.sleep(for: .seconds(600))
    }
    for await _ in stopped {}
  }
}
