// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing
import pet

extension SignalSuites {
  @Suite("SignalMonitor", .timeLimit(.minutes(1)))
  struct SignalMonitorTests {
    @Test("SIGINT cancels a reply, not the program, and what comes too late does nothing")
    func reply() async throws {
      try SignalMonitor.shared.start()
      await #expect(throws: CancellationError.self) {
        try await SignalMonitor.shared.cancellingOnInterrupt {
          kill(getpid(), SIGINT)
          try await Task.sleep(for: .seconds(30))
        }
      }
      kill(getpid(), SIGINT)
      #expect(try await SignalMonitor.shared.cancellingOnInterrupt { 7 } == 7)
    }
  }
}
