// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1
import Synchronization

/// A connection from its first byte on. What its client sends waits for whoever serves it, also where the client closes first.
final class HTTPConnection: Sendable {
  let channel: any Channel
  let transport: AccessPolicy.Transport
  /// For one reader; it ends with the connection.
  let parts: RequestParts.Incoming

  private struct Exchange {
    var cancel: (@Sendable () -> Void)?
    var isClosed = false
  }

  private let exchange = Mutex(Exchange())

  /// Configures the channel; on its event loop, before it is active.
  init(_ channel: any Channel, _ transport: AccessPolicy.Transport, _ limits: HTTPLimits) throws {
    self.channel = channel
    self.transport = transport
    try HTTPPipeline.configure(channel, limits)
    // A Unix socket tells when its other end closes altogether.
    if case .loopback = transport { try channel.pipeline.syncOperations.addHandler(HalfClosure()) }
    let handler = RequestParts()
    parts = handler.begin(on: channel.eventLoop)
    try channel.pipeline.syncOperations.addHandler(handler)
    channel.closeFuture.whenComplete { [weak self] _ in self?.close() }
  }

  private func close() {
    let cancel = exchange.withLock { exchange in
      exchange.isClosed = true
      return exchange.cancel
    }
    cancel?()
  }

  /// Runs `body`, which is cancelled when the connection closes. One at a time.
  func whileOpen<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task(operation: body)
    let isClosed = exchange.withLock { exchange in
      exchange.cancel = { task.cancel() }
      return exchange.isClosed
    }
    if isClosed { task.cancel() }
    defer { exchange.withLock { $0.cancel = nil } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Returns when the client's side of the socket has taken all of it.
  func write(_ parts: HTTPServerResponsePart...) async throws {
    for part in parts.dropLast() { channel.write(part, promise: nil) }
    if let last = parts.last { try await channel.writeAndFlush(last).get() }
  }
}
