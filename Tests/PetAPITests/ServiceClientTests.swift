// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetAPI
import PetEngine
import PetFiles
import PetRuntime
import Synchronization
import Testing

@Suite("A client of petd", .serialized, .timeLimit(.minutes(1)))
struct ServiceClientTests {
  private struct Value: Codable, Equatable {
    var text: String
  }

  private static let stream =
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n22\r\nevent: token\ndata: {\"text\":\"a \"}\n\n\r\n"
    + "20\r\nevent: token\ndata: {\"text\":\"pet\"\r\n2\r\n}\n\r\n1f\r\n\nevent: done\ndata: {\"text\":\"x\"}\r\n2\r\n\n\n\r\n0\r\n\r\n"

  private func client(_ server: PlainServer) -> ServiceClient {
    ServiceClient(LocalService(socket: server.path, home: nil))
  }

  /// How it failed; nil: it did not.
  private func failure(_ body: () async throws -> Void) async throws -> ServiceClient.Failure? {
    do {
      try await body()
      return nil
    } catch let failure as ServiceClient.Failure {
      return failure
    }
  }

  private func isBroken(_ server: PlainServer) async throws -> Bool {
    let failure = try await failure {
      let _: Value = try await client(server).answer("/", nil) { _ in }
    }
    if case .broken? = failure { return true }
    return false
  }

  @Test("a request is one head and one body, by its length")
  func request() async throws {
    let heard = Mutex("")
    let server = try PlainServer { connection in
      let request = connection.request()
      heard.withLock { $0 = request }
      connection.answer("200 OK", #"{"text":"hello"}"#)
    }
    defer { server.stop() }
    let value: Value = try await client(server).value(.PATCH, "/pet/x?y=z", ["b": "\u{E9}/", "a": "1"])
    #expect(value == Value(text: "hello"))
    let expected =
      "PATCH /pet/x?y=z HTTP/1.1\r\nhost: pet\r\naccept: application/json\r\ncontent-type: application/json\r\n"
      + "content-length: 19\r\n\r\n{\"a\":\"1\",\"b\":\"\u{E9}/\"}"
    #expect(heard.withLock { $0 } == expected)
    try await client(server).bytes(.GET, "/")
    #expect(heard.withLock { $0 }.hasSuffix("content-length: 0\r\n\r\n"))
  }

  @Test("an answer is the same in one piece, and byte by byte")
  func pieces() async throws {
    let server = try PlainServer { connection in
      let isCut = connection.request().contains("/cut")
      for piece in isCut ? Self.stream.utf8.map({ [$0] }) : [Array(Self.stream.utf8)] { connection.send(piece) }
    }
    defer { server.stop() }
    for path in ["/whole", "/cut"] {
      let text = Mutex("")
      let value: Value = try await client(server).answer(path, nil) { piece in text.withLock { $0 += piece } }
      #expect(value == Value(text: "x") && text.withLock { $0 } == "a pet")
    }
  }

  @Test("an event is handed over when it came, not when the answer ends")
  func soon() async throws {
    let isHeard = DispatchSemaphore(value: 0)
    let half = Self.stream.utf8.count / 2
    let server = try PlainServer { connection in
      _ = connection.request()
      connection.send(Array(Self.stream.utf8.prefix(half)))
      isHeard.wait()
      connection.send(Array(Self.stream.utf8.dropFirst(half)))
    }
    defer { server.stop() }
    let pieces = Mutex(0)
    let value: Value = try await client(server).answer("/", nil) { _ in
      if pieces.withLock({
        $0 += 1; return $0
      }) == 1 {
        isHeard.signal()
      }
    }
    #expect(value == Value(text: "x") && pieces.withLock { $0 } == 2)
  }

  @Test("an answer that ends early, wherever it does, is broken")
  func early() async throws {
    let count = Mutex(0)
    let server = try PlainServer { connection in
      _ = connection.request()
      connection.send(Array(Self.stream.utf8.prefix(count.withLock { $0 })))
    }
    defer { server.stop() }
    for length in 0..<Self.stream.utf8.count {
      count.withLock { $0 = length }
      #expect(try await isBroken(server), "\(length) bytes")
    }
  }

  @Test("a connection that is reset before anything was read is broken, and ends no program")
  func reset() async throws {
    let server = try PlainServer { _ in }
    defer { server.stop() }
    for _ in 0..<8 {
      #expect(try await isBroken(server))
      let failure = try await failure {
        try await client(server).bytes(.POST, "/", String(repeating: "x", count: 1 << 20))
      }
      #expect(failure.map { if case .broken = $0 { true } else { false } } == true)
    }
  }

  @Test("one that sends no more, and still listens, has said all")
  func halfClosed() async throws {
    let server = try PlainServer { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 200 OK\r\n\r\n{\"text\":\"all\"}")
      connection.endSending()
      _ = connection.receive()
    }
    defer { server.stop() }
    let value: Value = try await client(server).value(.GET, "/")
    #expect(value == Value(text: "all"))
  }

  @Test("a refusal says what is wrong, also where the request is not read to its end")
  func refused() async throws {
    let server = try PlainServer { connection in
      connection.answer(
        "413 Content Too Large", #"{"error":{"message":"too large","type":"t","param":null,"code":"c"}}"#)
      // It reads nothing, and closes only when the other end does.
      var closed = pollfd(fd: connection.descriptor, events: 0, revents: 0)
      poll(&closed, 1, 20_000)
    }
    defer { server.stop() }
    for body in ["x", String(repeating: "x", count: 1 << 20)] {
      guard
        case .refused(413, "too large", "c")? = try await failure({ try await client(server).bytes(.POST, "/", body) })
      else {
        Issue.record("no refusal")
        return
      }
    }
    let other = try PlainServer { connection in
      _ = connection.request()
      connection.answer("500 Oh", "<html>")
    }
    defer { other.stop() }
    let failure = try await failure { try await client(other).bytes(.GET, "/") }
    #expect(failure?.description == "petd answers with the status 500")
  }

  @Test(
    "an error within a stream is told by its own words",
    arguments: [
      ("invalid_request_error", "null", 400), ("server_error", "null", 500), ("server_error", "\"full\"", 503),
    ])
  func errorEvent(_ type: String, _ code: String, _ status: UInt) async throws {
    let data = #"{"error":{"message":"no","type":"\#(type)","param":null,"code":\#(code)}}"#
    let server = try PlainServer { connection in
      _ = connection.request()
      connection.answer("200 OK", "event: token\ndata: {\"text\":\"a\"}\n\nevent: error\ndata: \(data)\n\n")
    }
    defer { server.stop() }
    let failure = try await failure {
      let _: Value = try await client(server).answer("/", nil) { _ in }
    }
    guard case .refused(status, "no", _)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test(
    "what never ends is given up, and the other end hears of it",
    arguments: [
      ("HTTP/1.1 200 OK\r\n", "x: y\r\n"), ("HTTP/1.1 200 OK\r\n\r\n", String(repeating: " ", count: 1 << 16)),
      ("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"), ("\u{0}\u{1}", "\u{FFFD}"),
    ])
  func endless(_ start: String, _ more: String) async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let server = try PlainServer { connection in
      _ = connection.request()
      connection.send(start)
      while connection.send(more) {}
      end.finish()
    }
    defer { server.stop() }
    let failure = try await failure { try await client(server).bytes(.GET, "/") }
    #expect(failure.map { if case .broken = $0 { true } else { false } } == true)
    for await _ in ends {}
  }

  @Test(
    "a task that is cancelled ends at once, also within a refusal, and the other end hears of it",
    arguments: ["200 OK\r\ntransfer-encoding: chunked", "404 Not Found\r\ncontent-length: 5"])
  func cancelled(_ head: String) async throws {
    let (ends, end) = AsyncStream.makeStream(of: String.self)
    let server = try PlainServer { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 \(head)\r\n\r\n")
      end.yield("asked")
      end.yield(connection.receive())
    }
    defer { server.stop() }
    var said = ends.makeAsyncIterator()
    let task = Task { try await client(server).events(.GET, "/") { _ in } }
    let asked = await said.next()
    #expect(asked == "asked")
    // Until it waits for more.
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // The end of the connection.
    let last = await said.next()
    #expect(last == "")
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await client(server).bytes(.GET, "/")
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test("a task that is cancelled while nobody reads ends at once, and the other end hears of it")
  func cancelledSending() async throws {
    let isCancelled = DispatchSemaphore(value: 0)
    let (counts, count) = AsyncStream.makeStream(of: Int.self)
    let server = try PlainServer { connection in
      count.yield(0)
      isCancelled.wait()
      count.yield(connection.drain())
    }
    defer { server.stop() }
    var came = counts.makeAsyncIterator()
    let task = Task { try await client(server).bytes(.POST, "/", String(repeating: "x", count: 1 << 20)) }
    let accepted = await came.next()
    #expect(accepted == 0)
    // Until it waits for room.
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    isCancelled.signal()
    // The end of the connection, and not that of the request.
    let all = try #require(await came.next())
    #expect(all > 0 && all < 1 << 20)
  }

  @Test("what comes before the final response keeps nobody from sending")
  func interim() async throws {
    let server = try PlainServer { connection in
      connection.send("HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n")
      let begun = connection.request().utf8.reversed().prefix { $0 != UInt8(ascii: "\n") }.count
      let count = begun + connection.drain((1 << 20) + 2 - begun)
      connection.answer("200 OK", #"{"text":"\#(count)"}"#)
    }
    defer { server.stop() }
    let value: Value = try await client(server).value(.POST, "/", String(repeating: "x", count: 1 << 20))
    #expect(value == Value(text: "\((1 << 20) + 2)"))
  }

  @Test("to write to one that reads no more raises no signal, and its refusal is told")
  func noSignal() async throws {
    await #expect(processExitsWith: .success) { try await ServiceClientTests.writeToNobody() }
  }

  private static func writeToNobody() async throws {
    signal(SIGPIPE, SIG_DFL)
    let server = try PlainServer { connection in
      _ = connection.request()
      shutdown(connection.descriptor, Int32(SHUT_RD))
      _ = connection.drain()
      // Until the client has written to nobody.
      usleep(200_000)
      connection.answer("413 Content Too Large", "")
    }
    defer { server.stop() }
    let client = ServiceClient(LocalService(socket: server.path, home: nil))
    do {
      try await client.bytes(.POST, "/", String(repeating: "x", count: 1 << 20))
      Issue.record("no refusal")
    } catch ServiceClient.Failure.refused(413, _, _) {}
  }

  @Test("one whose queue is full is silent, not absent")
  func fullQueue() async throws {
    let path = "/tmp/pet-plain-\(UInt64.random(in: 0 ... .max)).sock"
    let listener = try PlainServer.listen(at: path, backlog: 0)
    let service = LocalService(socket: path, home: nil)
    var connections: [Int32] = []
    defer {
      for descriptor in connections + [listener] { close(descriptor) }
      unlink(path)
    }
    var full: LocalService.Failure?
    do throws(LocalService.Failure) {
      while connections.count < 64 { connections.append(try service.connect()) }
    } catch {
      full = error
    }
    #expect(full == .system(EAGAIN))
    let failure = try await failure { try await ServiceClient(service).greet() }
    guard case .silent? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test("that no connection can be opened is not told as if nobody were there")
  func noDescriptors() async throws {
    await #expect(processExitsWith: .success) { try await ServiceClientTests.askWithoutDescriptors() }
  }

  private static func askWithoutDescriptors() async throws {
    let server = try PlainServer { _ in }
    defer { server.stop() }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var none = rlimit(rlim_cur: 3, rlim_max: limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
    do {
      try await ServiceClient(LocalService(socket: server.path, home: nil)).bytes(.GET, "/")
      Issue.record("a connection")
    } catch let failure as ServiceClient.Failure {
      guard case .noRoom(_, EMFILE) = failure, !failure.isOfAbsence else {
        Issue.record("\(failure)")
        return
      }
    }
  }

  @Test("a broker that was stopped is silent, then lost, and one that was killed is lost: petd may be there")
  func lostBroker() async throws {
    await #expect(processExitsWith: .success) { try await ServiceClientTests.loseBroker(SIGSTOP) }
    await #expect(processExitsWith: .success) { try await ServiceClientTests.loseBroker(SIGKILL) }
  }

  private static func loseBroker(_ number: Int32) async throws {
    signal(SIGPIPE, SIG_DFL)
    let server = try PlainServer { connection in
      _ = connection.request()
      connection.answer("200 OK", "{}")
    }
    defer { server.stop() }
    let service = LocalService(socket: server.path, home: nil)
    try service.startBroker()
    defer { LocalService.endBroker() }
    let client = ServiceClient(service)
    try await client.greet()
    let child = Folder.names(in: "/proc").compactMap { pid_t($0) }.first {
      let status = try? String(contentsOfFile: "/proc/\($0)/status", encoding: .utf8)
      return status?.contains("PPid:\t\(getpid())\n") == true
    }
    let broker = try #require(child)
    kill(broker, number)
    var status: Int32 = 0
    // Until it is.
    #expect(waitpid(broker, &status, WUNTRACED) == broker)
    var told: [String] = []
    for _ in 0..<3 {
      do {
        try await client.greet()
        told.append("an answer")
      } catch ServiceClient.Failure.silent {
        told.append("silent")
      } catch ServiceClient.Failure.brokerLost {
        told.append("lost")
      }
    }
    #expect(told == [number == SIGSTOP ? "silent" : "lost", "lost", "lost"])
    guard number == SIGSTOP else { return }
    // It was let go: it ends as soon as it can.
    kill(broker, SIGCONT)
    #expect(waitpid(broker, &status, 0) == broker)
  }

  @Test("of many that are cancelled at any moment nothing is left, and those beside them hear their own answers")
  func cancelledBesideOthers() async throws {
    await #expect(processExitsWith: .success) { try await ServiceClientTests.cancelMany() }
  }

  /// In a process of its own: other tests open descriptors too.
  private static func cancelMany() async throws {
    let server = try PlainServer { connection in
      let words = connection.request().split(separator: " ")
      guard words.count > 1 else { return }
      usleep(.random(in: 0..<2000))
      connection.answer("200 OK", #"{"text":"\#(words[1])"}"#)
    }
    defer { server.stop() }
    let client = ServiceClient(LocalService(socket: server.path, home: nil))
    func descriptors() -> Int { Folder.names(in: "/proc/self/fd").count }
    try await client.bytes(.GET, "/first")
    // The server may not have closed its own yet.
    try await Task.sleep(for: .milliseconds(100))
    let before = descriptors()
    for round in 0..<10 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          let path = "/\(round)/\(number)"
          group.addTask {
            let value: Value = try await client.value(.GET, path)
            #expect(value.text == path)
          }
          group.addTask {
            let task = Task { try await client.bytes(.POST, path, "x") }
            try await Task.sleep(for: .microseconds(.random(in: 0..<3000)))
            task.cancel()
            if case .failure(let error) = await task.result { #expect(error is CancellationError) }
          }
        }
        try await group.waitForAll()
      }
    }
    for _ in 0..<500 where descriptors() > before { try await Task.sleep(for: .milliseconds(10)) }
    #expect(descriptors() == before)
  }

  @Test("many ask at once, and each hears its own answer")
  func many() async throws {
    let server = try PlainServer { connection in
      let path = connection.request().split(separator: " ")[1]
      connection.answer("200 OK", #"{"text":"\#(path)"}"#)
    }
    defer { server.stop() }
    try await withThrowingTaskGroup(of: (String, Value).self) { group in
      for number in 0..<48 {
        group.addTask { ("/\(number)", try await client(server).value(.GET, "/\(number)")) }
      }
      for try await (path, value) in group { #expect(value.text == path) }
    }
  }
}
