// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Logging
import NIOCore
import NIOHTTP1
import PetService
import RawClient
import Synchronization
import Testing

@Suite("A server on a socket")
struct HTTPServerTests {
  /// Serves while `body` runs.
  private func serving(
    _ limits: HTTPLimits = HTTPLimits(), admit: @escaping HTTPServer.Admission = { _, _ in nil },
    answer: @escaping HTTPServer.Answer = Self.echo,
    _ body: @escaping @Sendable (String, HTTPServer) async throws -> Void
  ) async throws {
    let path = "/tmp/pet-http-\(UInt64.random(in: 0 ... .max)).sock"
    let server = HTTPServer(
      limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, admit: admit, answer: answer)
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    let running = Task {
      try await server.run([.unix(path: path)]) { _ in isReady.finish() }
    }
    for await _ in ready {}
    try await body(path, server)
    server.drain()
    try await running.value
    unlink(path)
  }

  /// The path, the size of the body, and who asks.
  private static let echo: HTTPServer.Answer = { request in
    if request.target.path == ["events"] { return .events { try await $0.write("data: x\n\n") } }
    return .text(
      "\(request.method.rawValue) \(request.target.path.joined(separator: ",")) \(request.body.readableBytes) \(request.transport)"
    )
  }

  @Test("requests one after the other on one connection, with a body or not, and for the head alone")
  func requests() async throws {
    try await serving { path, server in
      let client = try RawClient(path)
      let first = await client.exchange("GET /a/b?c=d HTTP/1.1\r\nhost: pet\r\n\r\n")
      #expect(
        first.hasPrefix("HTTP/1.1 200 OK\r\n") && first.hasSuffix("\r\n\r\nGET a,b 0 unix(user: Optional(\(getuid())))")
      )
      let second = await client.exchange("POST /x HTTP/1.1\r\nhost: pet\r\ncontent-length: 5\r\n\r\nhello")
      #expect(second.contains("POST x 5"))
      let chunked = await client.exchange(
        "POST /x HTTP/1.1\r\nhost: pet\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
      #expect(chunked.contains("POST x 3"))
      let streamed = await client.exchange("HEAD /events HTTP/1.1\r\nhost: pet\r\n\r\n")
      #expect(streamed.contains("text/event-stream") && streamed.hasSuffix("\r\n\r\n"))
      let old = try await RawClient(path).exchange("GET /events HTTP/1.0\r\n\r\n")
      #expect(old.contains("connection: close") && old.hasSuffix("\r\n\r\ndata: x\n\n"))
      let head = await client.exchange("HEAD /y HTTP/1.1\r\nhost: pet\r\nconnection: close\r\n\r\n")
      #expect(head.hasSuffix("\r\n\r\n") && head.contains("content-length: 3"))
      #expect(await client.isAtEnd)
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test(
    "what is no HTTP, or could be read in two ways, is refused and the connection ends",
    arguments: [
      "nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
      "POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!",
      "POST / HTTP/1.1\r\nhost: p\r\ncontent-length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nhost: p\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
      "GET / HTTP/1.1\r\nhost : p\r\n\r\n", "GET / HTTP/1.1\r\nhost: p\r\n x: folded\r\nbad\u{0}name: 1\r\n\r\n",
      "POST / HTTP/1.0\r\nhost: p\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      "GET /../x HTTP/1.1\r\nhost: p\r\n\r\n", "GET http://elsewhere/ HTTP/1.1\r\nhost: p\r\n\r\n",
    ])
  func malformed(_ request: String) async throws {
    try await serving { path, _ in
      let client = try RawClient(path)
      let answer = await client.exchange(request)
      #expect(answer.hasPrefix("HTTP/1.1 400") || answer.isEmpty, "\(answer)")
      #expect(await client.isAtEnd)
      // Others are served as before.
      #expect(try await RawClient(path).exchange("GET /a HTTP/1.1\r\nhost: p\r\n\r\n").contains("GET a"))
    }
  }

  @Test("too much is refused: of a body, told beforehand or not, of headers, of connections, of time")
  func limits() async throws {
    var limits = HTTPLimits()
    limits.bodyBytes = 1000
    limits.headerBytes = 2000
    try await serving(limits) { path, server in
      let told = try await RawClient(path).exchange("POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 100000000\r\n\r\n")
      #expect(told.hasPrefix("HTTP/1.1 413") && told.contains("connection: close"))
      // 2^63 and 2^64 - 1.
      for length in ["9223372036854775808", "18446744073709551615"] {
        let huge = try await RawClient(path).exchange("POST / HTTP/1.1\r\nhost: p\r\ncontent-length: \(length)\r\n\r\n")
        #expect(huge.hasPrefix("HTTP/1.1 413") && huge.contains(#"{"error":{"#), "\(length): \(huge)")
      }
      let piece = "3e9\r\n" + String(repeating: "x", count: 1001) + "\r\n0\r\n\r\n"
      let untold = try await RawClient(path).exchange(
        "POST / HTTP/1.1\r\nhost: p\r\ntransfer-encoding: chunked\r\n\r\n" + piece)
      #expect(untold.hasPrefix("HTTP/1.1 413"))
      let headers = "GET / HTTP/1.1\r\nhost: p\r\nx: " + String(repeating: "y", count: 3000) + "\r\n\r\n"
      let large = try await RawClient(path).exchange(headers)
      #expect(large.hasPrefix("HTTP/1.1 431") && large.contains(#"{"error":{"#), "\(large)")
      let overflow = try await RawClient(path).exchange(
        "POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 99999999999999999999\r\n\r\n")
      #expect(overflow.hasPrefix("HTTP/1.1 400") && overflow.contains("Content-Length"), "\(overflow)")

      let coded = try await RawClient(path).exchange(
        "POST / HTTP/1.1\r\nhost: p\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n")
      #expect(coded.hasPrefix("HTTP/1.1 501") && coded.contains("connection: close"))
      // What is no part of the body counts as well.
      let extended = try RawClient(path)
      await extended.send("POST / HTTP/1.1\r\nhost: p\r\ntransfer-encoding: chunked\r\n\r\n1;")
      await extended.send(String(repeating: "e", count: 4000))
      #expect(!(await extended.receive().contains(" 200 ")))
    }

    limits.headerBytes = 8000
    try await serving(limits) { path, _ in
      let target = try await RawClient(path).exchange(
        "GET /" + String(repeating: "a", count: 2048) + " HTTP/1.1\r\nhost: p\r\n\r\n")
      #expect(target.hasPrefix("HTTP/1.1 414") && target.contains("longer than 2048 bytes"), "\(target)")
    }

    limits.connections = 2
    limits.requestTime = .seconds(2)
    try await serving(limits) { path, server in
      // A client that sends a letter now and then.
      let slow = try RawClient(path)
      await slow.send("GET / HT")
      #expect(await slow.receive().isEmpty)
      while server.connectionCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
      let two = [try RawClient(path), try RawClient(path)]
      for client in two { #expect(await client.exchange("GET /a HTTP/1.1\r\nhost: p\r\n\r\n").contains("GET a")) }
      let third = try await RawClient(path).exchange("GET / HTTP/1.1\r\nhost: p\r\n\r\n")
      #expect(third.isEmpty)
      two.forEach { $0.close() }
    }
  }

  @Test("those who have not asked as somebody who may give way to one that comes; those who have stay")
  func idle() async throws {
    var limits = HTTPLimits()
    limits.connections = 8
    let admit: HTTPServer.Admission = { head, _ in
      head.headers["authorization"].isEmpty ? ServiceResponse.text("not you", .unauthorized) : nil
    }
    try await serving(limits, admit: admit) { path, server in
      let asked = "GET /a HTTP/1.1\r\nhost: p\r\nauthorization: x\r\n\r\n"
      let owner = try RawClient(path)
      #expect(await owner.exchange(asked).contains("GET a"))
      // Some say nothing, some ask without a token.
      let others = try (0..<7).map { _ in try RawClient(path) }
      for other in others.prefix(3) { _ = await other.exchange("GET /b HTTP/1.1\r\nhost: p\r\n\r\n") }
      while server.connectionCount < 8 { try await Task.sleep(for: .milliseconds(5)) }
      for _ in 0..<20 {
        let next = try RawClient(path)
        #expect(await next.exchange(asked).contains("GET a"))
        next.close()
      }
      #expect(await owner.exchange(asked).contains("GET a"))
      #expect(server.connectionCount <= 8)
      others.forEach { $0.close() }
    }
  }

  @Test("who may not ask is told so before their body is waited for, and the connection ends")
  func admission() async throws {
    let admit: HTTPServer.Admission = { head, _ in
      head.uri == "/closed" ? ServiceResponse.text("not you", .unauthorized) : nil
    }
    try await serving(admit: admit) { path, _ in
      for rest in [
        "content-length: 10\r\n\r\nhello", "content-length: 10\r\nexpect: 100-continue\r\n\r\n",
        "content-length: 100000000\r\n\r\n", "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
      ] {
        let client = try RawClient(path)
        await client.send("POST /closed HTTP/1.1\r\nhost: p\r\n" + rest)
        let answer = await client.receive()
        #expect(answer.hasPrefix("HTTP/1.1 401") && answer.hasSuffix("\r\n\r\nnot you"), "\(answer)")
        #expect(answer.contains("connection: close"), "\(answer)")
      }
      let client = try RawClient(path)
      let open = await client.exchange("POST /open HTTP/1.1\r\nhost: p\r\ncontent-length: 5\r\n\r\nhello")
      #expect(open.contains("POST open 5"))
      // Where there is no body to wait for, whoever answers judges all of it.
      let bare = await client.exchange("POST /closed HTTP/1.1\r\nhost: p\r\ncontent-length: 0\r\n\r\n")
      #expect(bare.contains("POST closed 0"))
    }
  }

  @Test("a reply that comes piece by piece is cancelled when nobody reads it, and a reader that takes nothing is left")
  func streams() async throws {
    var limits = HTTPLimits()
    limits.writeTime = .milliseconds(300)
    let ended = Mutex(0)
    let count: @Sendable () -> Int = { ended.withLock { $0 } }
    let answer: HTTPServer.Answer = { request in
      .events { writer in
        defer { ended.withLock { $0 += 1 } }
        let size = request.target.path == ["large"] ? 1 << 16 : 1
        for number in 0..<10_000 {
          try await writer.write("data: \(number)\(String(repeating: "x", count: size))\n\n")
          if size == 1 { try await Task.sleep(for: .milliseconds(2)) }
        }
      }
    }
    try await serving(limits, answer: answer) { path, _ in
      let gone = try RawClient(path)
      await gone.send("GET /small HTTP/1.1\r\nhost: p\r\n\r\n")
      #expect(await gone.receive(until: "data: 3").contains("text/event-stream"))
      gone.close()
      while count() < 1 { try await Task.sleep(for: .milliseconds(5)) }
      let asleep = try RawClient(path)
      await asleep.send("GET /large HTTP/1.1\r\nhost: p\r\n\r\n")
      while count() < 2 { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  @Test(
    "an answer after which the connection closes arrives whole, however late it is read",
    arguments: [
      ("GET / HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n", false), ("GET / HTTP/1.0\r\n\r\n", false),
      ("GET /stream HTTP/1.0\r\n\r\n", false), ("GET / HTTP/1.1\r\nhost: p\r\n\r\n", true),
    ])
  func lateReader(_ request: String, drains: Bool) async throws {
    // More than a socket takes.
    let size = 2 << 20
    let answer: HTTPServer.Answer = { request in
      let text = String(repeating: "x", count: size)
      if request.target.path == ["stream"] { return .events { try await $0.write(text) } }
      return .text(text)
    }
    try await serving(answer: answer) { path, server in
      let client = try RawClient(path)
      await client.send(request)
      try await Task.sleep(for: .milliseconds(100))
      if drains { server.drain() }
      let text = await client.receive()
      let head = try #require(text.firstRange(of: "\r\n\r\n"))
      #expect(text[head.upperBound...].utf8.count == size)
    }
  }

  @Test("a request that came whole is answered as its user's, though its client has gone", .timeLimit(.minutes(1)))
  func goneAtOnce() async throws {
    let sizes = Mutex<[Int]>([])
    let answer: HTTPServer.Answer = { request in
      guard request.transport == .unix(user: getuid()) else { return .text("not you", .forbidden) }
      sizes.withLock { $0.append(request.body.readableBytes) }
      return .text("done")
    }
    try await serving(answer: answer) { path, _ in
      for size in 0..<100 {
        let client = try RawClient(path)
        await client.send(
          "POST / HTTP/1.1\r\nhost: p\r\ncontent-length: \(size * 100)\r\n\r\n"
            + String(repeating: "x", count: size * 100))
        client.close()
      }
      while sizes.withLock({ $0.count }) < 100 { try await Task.sleep(for: .milliseconds(5)) }
      #expect(sizes.withLock { $0.sorted() } == (0..<100).map { $0 * 100 })
    }
  }

  @Test(
    "a client that sends no more is answered, over both kinds of socket; one that closed stops a reply",
    .timeLimit(.minutes(1)))
  func halfClosed() async throws {
    let stopped = Mutex(0)
    let path = "/tmp/pet-http-\(UInt64.random(in: 0 ... .max)).sock"
    let server = HTTPServer(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { request in
      if request.target.path == ["long"] {
        while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
        stopped.withLock { $0 += 1 }
      }
      try? await Task.sleep(for: .milliseconds(50))
      return .text("done")
    }
    let (ports, isReady) = AsyncStream.makeStream(of: UInt16.self)
    let running = Task {
      try await server.run([.unix(path: path), .loopback(port: 0)]) { addresses in
        for case .loopback(let port) in addresses { isReady.yield(UInt16(port)) }
        isReady.finish()
      }
    }
    let first = await ports.first { _ in true }
    let port = try #require(first)
    for client in [try RawClient(path), try RawClient(port: port)] {
      await client.send("GET /a HTTP/1.1\r\nhost: p\r\n\r\nGET /b HTTP/1.1\r\nhost: p\r\n\r\n")
      client.endSending()
      let text = await client.receive()
      #expect(text.components(separatedBy: "HTTP/1.1 200").count == 3 && text.hasSuffix("done"), "\(text)")
    }
    let half = try RawClient(path)
    await half.send("POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 9\r\n\r\nhello")
    half.endSending()
    #expect(await half.receive().contains("ends before it is whole"))
    for client in [try RawClient(path), try RawClient(port: port)] {
      await client.send("GET /long HTTP/1.1\r\nhost: p\r\n\r\n")
      try await Task.sleep(for: .milliseconds(50))
      client.close()
    }
    while stopped.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(5)) }
    server.drain()
    try await running.value
    unlink(path)
  }

  @Test(
    "what the parser refuses is told by what is wrong",
    arguments: [
      ("content-length: 5\r\ncontent-length: 6\r\n\r\nhello!", "several Content-Length"),
      ("transfer-encoding: chunked\r\n\r\nzz\r\n", "size of a chunk"),
      ("transfer-encoding: gzip\r\n\r\nx", "Transfer-Encoding"), ("bad\u{0}name: 1\r\n\r\n", "header field"),
    ])
  func told(_ rest: String, _ words: String) async throws {
    try await serving { path, _ in
      let answer = try await RawClient(path).exchange("POST / HTTP/1.1\r\nhost: p\r\n" + rest)
      #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains(words), "\(answer)")
    }
  }

  @Test("whoever writes a stream is told where its reader has gone before it began", .timeLimit(.minutes(1)))
  func goneBefore() async throws {
    let began = Mutex(false)
    let isTold = Mutex(false)
    let answer: HTTPServer.Answer = { _ in
      began.withLock { $0 = true }
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
      return .events { writer in
        do {
          try await writer.write("data: x\n\n")
        } catch {
          isTold.withLock { $0 = true }
          throw error
        }
      }
    }
    try await serving(answer: answer) { path, server in
      let client = try RawClient(path)
      await client.send("GET / HTTP/1.1\r\nhost: p\r\n\r\n")
      while !began.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
      client.close()
      while server.connectionCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
      let wasTold = isTold.withLock { $0 }
      #expect(wasTold)
    }
  }

  @Test("a server that drains before it is ready, or at once when it is, ends well", arguments: [true, false])
  func drainsAtOnce(_ isBefore: Bool) async throws {
    for _ in 0..<20 {
      let path = "/tmp/pet-http-\(UInt64.random(in: 0 ... .max)).sock"
      let server = HTTPServer(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, answer: Self.echo)
      if isBefore { server.drain() }
      try await server.run([.unix(path: path)]) { _ in if !isBefore { server.drain() } }
      unlink(path)
    }
  }

  @Test("a server that stops while many connect ends well")
  func connectingWhileDraining() async throws {
    for _ in 0..<30 {
      try await serving { path, server in
        await withTaskGroup { group in
          for _ in 0..<4 {
            group.addTask {
              for _ in 0..<40 { await (try? RawClient(path))?.send("GET / HTTP/1.1\r\nhost: pet\r\n\r\n") }
            }
          }
          try? await Task.sleep(for: .milliseconds(3))
          server.drain()
        }
      }
    }
  }

  @Test("a server that drains takes nothing new, ends what is under way, and closes what rests")
  func drains() async throws {
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let answer: HTTPServer.Answer = { request in
      if request.target.path == ["wait"] { for await _ in gate {} }
      return .text("done")
    }
    try await serving(answer: answer) { path, server in
      let (resting, busy) = (try RawClient(path), try RawClient(path))
      _ = await resting.exchange("GET / HTTP/1.1\r\nhost: p\r\n\r\n")
      await busy.send("GET /wait HTTP/1.1\r\nhost: p\r\n\r\n")
      try await Task.sleep(for: .milliseconds(100))
      server.drain()
      #expect(await resting.receive().isEmpty)
      open.finish()
      let last = await busy.receive()
      #expect(last.contains("done") && last.contains("connection: close"))
    }
  }

  @Test("a server that is cancelled waits for no reader")
  func breaksOff() async throws {
    let path = "/tmp/pet-http-\(UInt64.random(in: 0 ... .max)).sock"
    let began = Mutex(false)
    let server = HTTPServer(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { _ in
      .events { writer in
        began.withLock { $0 = true }
        for _ in 0..<1000 { try await writer.write(String(repeating: "x", count: 1 << 20)) }
      }
    }
    let running = Task { try await server.run([.unix(path: path)]) }
    while !FileManager.default.fileExists(atPath: path) { try await Task.sleep(for: .milliseconds(5)) }
    let reader = try RawClient(path)
    await reader.send("GET / HTTP/1.1\r\nhost: p\r\n\r\n")
    while !began.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
    running.cancel()
    // It would be thirty seconds until the reader is given up.
    try await running.value
    #expect(server.connectionCount == 0)
    withExtendedLifetime(reader) {}
    unlink(path)
  }

  @Test("a stream without an end ends when the server drains, and its reader is told that it is whole")
  func endless() async throws {
    let answer: HTTPServer.Answer = { _ in
      var response = ServiceResponse.events { writer in
        while true {
          try await writer.write("data: x\n\n")
          try await Task.sleep(for: .seconds(600))
        }
      }
      response.isEndless = true
      return response
    }
    try await serving(answer: answer) { path, server in
      let client = try RawClient(path)
      await client.send("GET / HTTP/1.1\r\nhost: p\r\n\r\n")
      _ = await client.receive(until: "data: x")
      server.drain()
      #expect(await client.receive().hasSuffix("0\r\n\r\n"))
    }
  }

  @Test("a path that another server answers at, or where something else is, is refused; a dead one's is taken")
  func paths() async throws {
    try await serving { path, _ in
      let other = HTTPServer(logger: Logger(label: "test"), answer: Self.echo)
      await #expect(throws: ListeningError.inUse(path)) { try await other.run([.unix(path: path)]) }
    }
    let file = "/tmp/pet-http-\(UInt64.random(in: 0 ... .max))"
    close(open(file, O_CREAT | O_WRONLY, 0o600))
    defer { unlink(file) }
    let server = HTTPServer(logger: Logger(label: "test"), answer: Self.echo)
    await #expect(throws: ListeningError.notASocket(file)) { try await server.run([.unix(path: file)]) }
    // A living socket that takes no connections.
    let path = file + ".sock"
    let datagrams = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(datagrams) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(datagrams, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound)
    defer { unlink(path) }
    let third = HTTPServer(logger: Logger(label: "test"), answer: Self.echo)
    await #expect(throws: ListeningError.bind(path, code: EPROTOTYPE)) { try await third.run([.unix(path: path)]) }
    #expect(access(path, F_OK) == 0)
    let long = "/tmp/" + String(repeating: "x", count: 108)
    let another = HTTPServer(logger: Logger(label: "test"), answer: Self.echo)
    await #expect(throws: ListeningError.pathTooLong(long)) { try await another.run([.unix(path: long)]) }
  }
}
