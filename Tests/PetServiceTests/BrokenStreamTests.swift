// SPDX-License-Identifier: Apache-2.0
import Glibc
import Logging
import PetAPI
import PetRuntime
import PetService
import Testing

@Suite("The server and its client")
struct BrokenStreamTests {
  @Test("a stream that breaks off is told as petd that went away", .timeLimit(.minutes(1)))
  func brokenOff() async throws {
    struct Gone: Error {}
    let path = "/tmp/pet-events-\(UInt64.random(in: 0 ... .max)).sock"
    let server = HTTPServer(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { _ in
      .events { writer in
        try await writer.write("event: token\ndata: {\"text\":\"a\"}\n\n")
        throw Gone()
      }
    }
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    let running = Task { try await server.run([.unix(path: path)]) { _ in isReady.finish() } }
    for await _ in ready {}
    var isBroken = false
    do {
      let _: [String: String] = try await ServiceClient(LocalService(socket: path, home: nil)).answer("/", nil) { _ in }
    } catch ServiceClient.Failure.broken {
      isBroken = true
    }
    #expect(isBroken)
    server.drain()
    try await running.value
    unlink(path)
  }
}
