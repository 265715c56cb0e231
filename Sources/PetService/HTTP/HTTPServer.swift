// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import Glibc
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import PetRuntime
import Synchronization

/// HTTP/1.1 on one thread: reads whole requests within limits, and hands them to whoever answers.
package final class HTTPServer: Sendable {
  package typealias Answer = @Sendable (ServiceRequest) async -> ServiceResponse
  /// Why a request is not read further; nil: it is.
  package typealias Admission = @Sendable (HTTPRequestHead, AccessPolicy.Transport) -> ServiceResponse?

  private struct State {
    var listeners: [any Channel] = []
    var connections: [ObjectIdentifier: Taken] = [:]
    /// Connections that there were.
    var count: UInt64 = 0
    var isDraining = false
  }

  private struct Taken {
    let channel: any Channel
    /// The number of its listener.
    let listener: Int
    /// Its place among all that came.
    let number: UInt64
    /// Whether it has asked as somebody who may: until then it gives way to one that comes where there is no room.
    var mayAsk = false
  }

  private let limits: HTTPLimits
  private let logger: Logger
  private let admit: Admission
  private let answer: Answer
  private let onRest: @Sendable () -> Void
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let state = Mutex(State())
  private let draining = Broadcast(latest: false)
  private let connected: Gauge

  /// - Parameters:
  ///   - onRest: told when the last connection has gone.
  ///   - admit: judges a request by its head: one that has a body before anything of the body is asked for or kept, and any for
  ///     whether its connection stays where there is no room for more.
  package init(
    _ limits: HTTPLimits = HTTPLimits(), logger: Logger, metrics: any MetricsFactory = MetricsSystem.factory,
    onRest: @escaping @Sendable () -> Void = {}, admit: @escaping Admission = { _, _ in nil },
    answer: @escaping Answer
  ) {
    self.onRest = onRest
    self.admit = admit
    self.limits = limits
    connected = Gauge(label: "pet_http_connections", factory: metrics)
    self.logger = logger
    self.answer = answer
  }

  /// Serves until ``drain()``, or until the task is cancelled, which breaks replies off.
  /// - Parameter onReady: told where it listens, when it does, and before anything is read.
  /// - Throws: `ListeningError`; what `onReady` throws.
  package func run(
    _ addresses: [ListeningAddress], onReady: @Sendable ([ListeningAddress]) async throws -> Void = { _ in }
  ) async throws {
    do {
      try await withTaskCancellationHandler {
        try await serve(addresses, onReady)
      } onCancel: {
        breakOff()
      }
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
    try? await group.shutdownGracefully()
  }

  private func serve(
    _ addresses: [ListeningAddress], _ onReady: @Sendable ([ListeningAddress]) async throws -> Void
  ) async throws {
    var listeners: [Listener] = []
    for address in addresses { listeners.append(try await bind(address)) }
    state.withLock { $0.listeners = listeners.map(\.channel.channel) }
    // Behind this the event loop ends: nobody is left to be told anything.
    defer { state.withLock { $0.listeners = [] } }
    do {
      try await onReady(listeners.map(\.address))
      for listener in listeners {
        let listening = listener.channel.channel.setOption(ChannelOptions.autoRead, value: true)
        // One that is to drain as soon as it is ready may have closed it.
        do { try await listening.get() } catch ChannelError.ioOnClosedChannel where isDraining {}
      }
      if isDraining { drain() }
    } catch {
      for listener in listeners { try? await listener.channel.executeThenClose { _ in } }
      throw error
    }
    await withDiscardingTaskGroup { group in
      for (number, listener) in listeners.enumerated() {
        group.addTask { await self.accept(listener, number) }
      }
    }
  }

  /// Takes no more connections, closes those that rest, and lets the others end what they are in. Nothing where it has ended.
  package func drain() {
    state.withLock { $0.isDraining = true }
    draining.send(true)
    // Under the lock: whoever is known is still served, so that the event loop takes what they are told.
    state.withLock { state in
      for listener in state.listeners { listener.close(promise: nil) }
      for channel in state.connections.values.map(\.channel) {
        channel.pipeline.fireUserInboundEventTriggered(RequestDeadline.Drain())
      }
    }
  }

  private var isDraining: Bool { state.withLock { $0.isDraining } }

  /// What a slow reader has not taken is lost.
  private func breakOff() {
    drain()
    state.withLock { state in
      for taken in state.connections.values { taken.channel.close(promise: nil) }
    }
  }

  /// How many are connected.
  package var connectionCount: Int { state.withLock { $0.connections.count } }

  // MARK: Connections

  private struct Listener: Sendable {
    let channel: NIOAsyncChannel<HTTPConnection, Never>
    let address: ListeningAddress
  }

  private func bind(_ address: ListeningAddress) async throws -> Listener {
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      // Who comes waits until all is ready.
      .serverChannelOption(.autoRead, value: false)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // Who has sent all that they ask may say so, and is answered.
      .childChannelOption(.allowRemoteHalfClosure, value: true)
    let configure: @Sendable (any Channel) -> EventLoopFuture<HTTPConnection> = { [limits] channel in
      // While its socket is open for certain.
      Self.transport(of: channel).flatMapThrowing { try HTTPConnection(channel, $0, limits) }
    }
    do {
      switch address {
      case .unix(let path):
        try UnixSocket.prepare(path)
        let channel = try await bootstrap.bind(unixDomainSocketPath: path, childChannelInitializer: configure)
        try UnixSocket.restrict(path)
        return Listener(channel: channel, address: address)
      case .loopback(let port):
        let channel = try await bootstrap.bind(host: "127.0.0.1", port: port, childChannelInitializer: configure)
        return Listener(channel: channel, address: .loopback(port: channel.channel.localAddress?.port ?? port))
      case .inherited(let descriptor):
        let channel = try await bootstrap.bind(descriptor, childChannelInitializer: configure)
        switch channel.channel.localAddress {
        case .unixDomainSocket?:
          return Listener(channel: channel, address: .unix(path: channel.channel.localAddress?.pathname ?? ""))
        case .v4? where channel.channel.localAddress?.ipAddress == "127.0.0.1":
          return Listener(channel: channel, address: .loopback(port: channel.channel.localAddress?.port ?? 0))
        default:
          try? await channel.channel.close()
          throw ListeningError.notLocal("\(address)")
        }
      }
    } catch let error as ListeningError {
      throw error
    } catch let error as IOError {
      throw ListeningError.bind("\(address)", code: error.errnoCode)
    }
  }

  private func accept(_ listener: Listener, _ number: Int) async {
    do {
      try await listener.channel.executeThenClose { connections in
        await withDiscardingTaskGroup { group in
          do {
            for try await connection in connections {
              group.addTask { await self.serve(connection, number) }
            }
          } catch {
            // However it stops to listen: what is under way goes on to its end.
            logger.debug("stopped listening", metadata: ["address": "\(listener.address)"])
          }
        }
      }
    } catch {
      logger.debug("stopped listening", metadata: ["address": "\(listener.address)"])
    }
  }

  /// - Parameter listener: each has its own limit, so that those who come over TCP keep nobody from the Unix socket.
  private func serve(_ connection: HTTPConnection, _ listener: Int) async {
    let channel = connection.channel
    let key = ObjectIdentifier(channel)
    let isTaken = state.withLock { state in
      let others = state.connections.values.filter { $0.listener == listener }
      guard !state.isDraining else { return false }
      if others.count >= limits.connections {
        // Whoever may ask says so at once; others could hold all places for as long as a request may take.
        guard let idle = others.filter({ !$0.mayAsk }).min(by: { $0.number < $1.number }) else { return false }
        state.connections[ObjectIdentifier(idle.channel)] = nil
        idle.channel.close(promise: nil)
      }
      state.count += 1
      state.connections[key] = Taken(channel: channel, listener: listener, number: state.count)
      connected.record(state.connections.count)
      return true
    }
    defer {
      let isLast = state.withLock { state in
        state.connections[key] = nil
        connected.record(state.connections.count)
        return state.connections.isEmpty
      }
      if isLast { onRest() }
    }
    // Nothing was asked yet that could be answered.
    guard isTaken else { return channel.close(promise: nil) }
    do {
      try await answerAll(of: connection)
    } catch let error as HTTPParserError {
      // It was answered already. What it was is nobody's business.
      let status = ParserErrors.refusal(error).status.code
      logger.info("refused", metadata: ["status": "\(status)", "reason": "no HTTP"])
    } catch {
      // The other end went, or was too slow.
      logger.debug("a connection ended", metadata: ["reason": "\(type(of: error))"])
    }
    try? await channel.close()
  }

  /// Until the client has sent its last request, or the connection is to close.
  private func answerAll(of connection: HTTPConnection) async throws {
    var parts = connection.parts.makeAsyncIterator()
    while let head = try await nextHead(&parts) {
      if admit(head, connection.transport) == nil {
        state.withLock { $0.connections[ObjectIdentifier(connection.channel)]?.mayAsk = true }
      }
      guard let received = try await read(head, &parts, connection) else { return }
      // A request that came whole is answered, whoever has gone; whoever answers it may stop where nobody waits.
      let isLast = try await connection.whileOpen { try await self.answer(received, head, connection) }
      if isLast { return }
    }
  }

  /// - Returns: whether the connection closes behind it.
  private func answer(_ received: Received, _ head: HTTPRequestHead, _ connection: HTTPConnection) async throws -> Bool
  {
    var isLast = !head.isKeepAlive
    let response: ServiceResponse
    switch received {
    case .request(let request): response = await answer(request)
    case .refused(let refusal): (response, isLast) = (refusal, true)
    }
    isLast = isLast || isDraining
    // A stream to a client that knows no chunks ends with the connection.
    if head.version.minor == 0, case .stream = response.body { isLast = true }
    try await write(response, to: connection, keepAlive: !isLast, asked: head)
    return isLast
  }

  /// Of the channel of a client that has just come.
  private static func transport(of channel: any Channel) -> EventLoopFuture<AccessPolicy.Transport> {
    // Its own address is known later; it is that of who listens.
    let address = channel.parent?.localAddress
    guard case .unixDomainSocket? = address else {
      return channel.eventLoop.makeSucceededFuture(.loopback(port: address?.port ?? 0))
    }
    guard let provider = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeSucceededFuture(.unix(user: nil))
    }
    let peer: EventLoopFuture<UnixSocket.Peer> = provider.unsafeGetSocketOption(
      level: .socket, name: .init(rawValue: SO_PEERCRED))
    return peer.map { AccessPolicy.Transport.unix(user: $0.user) }.recover { _ in .unix(user: nil) }
  }

  private func nextHead(
    _ parts: inout RequestParts.Incoming.AsyncIterator
  ) async throws -> HTTPRequestHead? {
    while let part = try await parts.next() {
      if case .head(let head) = part { return head }
    }
    return nil
  }

  private enum Received: Sendable {
    case request(ServiceRequest)
    /// For how it was sent; the connection then closes.
    case refused(ServiceResponse)
  }

  /// The rest of a request; nil where it broke off.
  private func read(
    _ head: HTTPRequestHead, _ parts: inout RequestParts.Incoming.AsyncIterator, _ connection: HTTPConnection
  ) async throws -> Received? {
    if let refusal = HTTPPipeline.refusal(ofFramingOf: head) { return refused(refusal) }
    // Who may not ask fills no memory with what they send.
    if HTTPPipeline.announcesBody(head), let refusal = admit(head, connection.transport) {
      return refused(refusal)
    }
    let tooLarge = ServiceResponse.refusal(.payloadTooLarge, "the body is larger than \(limits.bodyBytes) bytes")
    // The parser has seen that these are digits: what is no number here is a larger one.
    if let length = head.headers.first(name: "content-length"), Int(length).map({ $0 > limits.bodyBytes }) ?? true {
      return refused(tooLarge)
    }
    if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
      // Who has sent the body already may have gone.
      try? await connection.write(.head(HTTPResponseHead(version: head.version, status: .continue)))
    }
    var body = ByteBuffer()
    reading: while true {
      switch try await parts.next() {
      case .body(var piece)?:
        guard body.readableBytes + piece.readableBytes <= limits.bodyBytes else { return refused(tooLarge) }
        body.writeBuffer(&piece)
      case .end?: break reading
      case .head?, nil: return nil
      }
    }
    let target: RequestTarget
    do {
      target = try RequestTarget(head.uri)
    } catch {
      return refused(.refusal(error == .tooLong ? .uriTooLong : .badRequest, error.message))
    }
    return .request(
      ServiceRequest(
        method: head.method, target: target, headers: head.headers, body: body, id: RequestID.make(),
        transport: connection.transport))
  }

  /// Notes what no route ever saw: nothing of the request itself.
  private func refused(_ response: ServiceResponse) -> Received {
    logger.info("refused", metadata: ["status": "\(response.status.code)"])
    return .refused(response)
  }

  private func write(
    _ response: ServiceResponse, to connection: HTTPConnection, keepAlive: Bool, asked: HTTPRequestHead
  ) async throws {
    let isHead = asked.method == .HEAD
    var head = HTTPResponseHead(version: .http1_1, status: response.status, headers: response.headers)
    if !keepAlive { head.headers.replaceOrAdd(name: "connection", value: "close") }
    switch response.body {
    case .bytes(let bytes):
      if response.status != .noContent {
        head.headers.replaceOrAdd(name: "content-length", value: "\(bytes.readableBytes)")
      }
      if isHead || bytes.readableBytes == 0 {
        try await connection.write(.head(head), .end(nil))
      } else {
        try await connection.write(.head(head), .body(.byteBuffer(bytes)), .end(nil))
      }
    case .stream(let body):
      if !isHead, asked.version.minor > 0 { head.headers.replaceOrAdd(name: "transfer-encoding", value: "chunked") }
      do {
        try await connection.write(.head(head))
      } catch {
        // Whoever writes the stream is told that nobody reads it.
        if !isHead { try await body(ResponseWriter { _ in throw error }) }
        throw error
      }
      if !isHead {
        let writer = ResponseWriter { try await connection.write(.body(.byteBuffer($0))) }
        if response.isEndless { try await untilDrained { try await body(writer) } } else { try await body(writer) }
      }
      try await connection.write(.end(nil))
    }
  }

  /// Runs `body` until it ends, or is cancelled because the server drains.
  private func untilDrained(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let changes = draining.stream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(operation: body)
      group.addTask { for await isDraining in changes where isDraining { return } }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
