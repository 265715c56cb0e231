// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One request over a connection of its own, and the response to it, read piece by piece. Who made the connection closes it.
struct ServiceExchange {
  private let connection: Int32
  private let thread: SocketThread
  private var reader = ResponseReader()
  /// Of the body: read, and not handed on.
  private var body: [UInt8] = []
  private var isAtEnd = false

  /// - Parameter connection: a stream socket that does not block.
  init(_ connection: Int32, on thread: SocketThread) { (self.connection, self.thread) = (connection, thread) }

  /// Sends all of it, unless the final response begins before or nobody reads: a body that is too large is not read to its end, and
  /// the response says so.
  /// - Throws: as ``piece()``.
  mutating func send(_ request: [UInt8]) async throws {
    var sent = 0
    while sent < request.count, reader.status == nil {
      let (comes, count) = try await thread.whenReady(connection, for: POLLIN | POLLOUT) {
        [connection, sent] ready -> (Bool, Int?) in
        guard ready & POLLIN == 0 else { return (true, 0) }
        let count = request[sent...].withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
        guard count < 0 else { return (false, count) }
        return (false, errno == EAGAIN || errno == EINTR ? 0 : nil)
      }
      if comes { try await receive() }
      guard let count else { return }
      sent += count
    }
  }

  /// The status of the response.
  /// - Throws: as ``piece()``.
  mutating func status() async throws -> Int {
    while true {
      if let status = reader.status { return status }
      try await receive()
    }
  }

  /// The next part of the body, as it comes; nil: it is whole.
  /// - Throws: ``ServiceClient/Failure``, `ResponseReader.Malformed`, `CancellationError`.
  mutating func piece() async throws -> [UInt8]? {
    while body.isEmpty, !isAtEnd, !reader.isComplete { try await receive() }
    defer { body = [] }
    return body.isEmpty ? nil : body
  }

  private mutating func receive() async throws {
    let (bytes, code) = try await thread.whenReady(connection, for: POLLIN) { [connection] _ in
      var code: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 15) { buffer, count in
        let got = read(connection, buffer.baseAddress, buffer.count)
        if got < 0 { code = errno }
        count = max(0, got)
      }
      return (bytes, code)
    }
    if code == EAGAIN || code == EINTR { return }
    guard code == 0, !bytes.isEmpty || reader.mayEnd else { throw ServiceClient.Failure.broken }
    isAtEnd = bytes.isEmpty
    body += try reader.append(bytes)
  }
}
