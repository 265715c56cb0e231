// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import PetFiles
import PetRuntime

/// Asks a running `petd` over its Unix socket; a connection for each request. On each it is known who answers before a word is sent.
package struct ServiceClient: Sendable {
  package enum Method: String, Sendable { case GET, POST, PUT, PATCH, DELETE }

  package enum Failure: Error, Sendable, CustomStringConvertible {
    /// Nobody listens there.
    case noService(socket: String)
    /// The socket is another user's.
    case notAllowed(socket: String)
    /// Another user listens there, by number.
    case stranger(socket: String, user: UInt32)
    /// Others may change what is in the person's folder, or in that of the socket.
    case exposed(FolderTrustError)
    /// What petd says is wrong.
    case refused(status: UInt, message: String, code: String?)
    /// Somebody listens there, and does not answer.
    case silent(socket: String)
    /// The broker, which connects for this process, has ended.
    case brokerLost(socket: String)
    /// The system has no room for a connection: the number of the error.
    case noRoom(socket: String, code: Int32)
    /// The connection broke, or what came was not what was asked for.
    case broken

    /// Whether nobody is there to be asked again.
    package var isOfAbsence: Bool {
      switch self {
      case .noService, .stranger, .silent, .brokerLost: true
      case .notAllowed, .exposed, .noRoom, .refused, .broken: false
      }
    }

    package var description: String {
      switch self {
      case .noService(let socket):
        "\(socket): no petd answers there; start one with `petd`, or name its socket with --socket"
      case .notAllowed(let socket):
        "\(socket): this petd is another user's; start one of your own with `petd`, or name its socket with --socket"
      case .stranger(let socket, let user):
        "\(socket): user \(user) listens there, not you, and was told nothing; start one of your own with `petd`, or name its socket with --socket"
      case .exposed(let error): error.description
      case .silent(let socket):
        "\(socket): petd does not answer within \(ServiceClient.patience) seconds; let it go on, or start it anew"
      case .brokerLost(let socket):
        "\(socket): the process that connects with petd has ended, or was stopped; start this program anew"
      case .noRoom(let socket, let code):
        "\(socket): cannot connect: \(Sandbox.reason(code)); \(SystemLimit(ofStart: code)?.advice ?? "end some programs")"
      case .refused(_, let message, _): message
      case .broken: "petd went away in the middle of its answer; start one with `petd`, and try again"
      }
    }

    /// What stands in a stream that had begun well.
    init(_ form: ErrorForm?) {
      guard let details = form?.error else {
        self = .broken
        return
      }
      let status: UInt =
        switch (details.type, details.code) {
        case ("invalid_request_error", _): 400
        case (_, ErrorForm.fault), (_, nil): 500
        default: 503
        }
      self = .refused(status: status, message: details.message, code: details.code)
    }
  }

  /// Of an answer that is no stream.
  private static let largest = 16 << 20
  /// Of petd's socket in the person's folder, where no other is named.
  package static let socketName = "petd.sock"
  /// Bytes of a message to a pet.
  package static let longestMessage = 64 << 10
  /// Seconds, with one that is asked only whether it lives.
  private static let patience = 5

  package let service: LocalService
  package var socket: String { service.socket }

  package init(_ service: LocalService) { self.service = service }

  /// Whether there is a socket; one that a killed petd left does not answer.
  package var isThere: Bool {
    var status = stat()
    return stat(socket, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  /// Whether what is there is no socket.
  private var isSomethingElse: Bool {
    var status = stat()
    return stat(socket, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
  }

  /// Whether somebody listens there, who may not answer. Waits for nobody.
  package var isListening: Bool { service.isListening }

  /// Asks whether petd lives: one that was stopped takes connections and never answers.
  /// - Throws: ``Failure``; here and below also `ThreadError`, and `CancellationError` where the task is cancelled.
  package func greet() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        try await bytes(.GET, "/health/live")
        return true
      }
      group.addTask {
        try await Task.sleep(for: .seconds(Self.patience))
        return false
      }
      guard try await group.next() == true else { throw Failure.silent(socket: socket) }
    }
  }

  /// What is answered, decoded.
  /// - Throws: ``Failure``.
  package func value<Value: Decodable & Sendable>(
    _ method: Method, _ path: String, _ body: (any Encodable)? = nil
  ) async throws -> Value {
    let bytes = try await bytes(method, path, body)
    guard let value = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else { throw Failure.broken }
    return value
  }

  /// What is answered.
  /// - Throws: ``Failure``.
  @discardableResult
  package func bytes(_ method: Method, _ path: String, _ body: (any Encodable)? = nil) async throws -> [UInt8] {
    try await exchange(method, path, body, accept: "application/json") { exchange in
      var bytes: [UInt8] = []
      while let piece = try await exchange.piece() {
        guard bytes.count + piece.count <= Self.largest else { throw Failure.broken }
        bytes += piece
      }
      return bytes
    }
  }

  /// Hands over each event as it comes, until the stream ends.
  /// - Throws: ``Failure``, also where `receive` throws anything else.
  package func events(
    _ method: Method, _ path: String, _ body: (any Encodable)? = nil,
    _ receive: (EventReader.Event) async throws -> Void
  ) async throws {
    try await exchange(method, path, body, accept: "text/event-stream") { exchange in
      var reader = EventReader()
      while let piece = try await exchange.piece() {
        for event in reader.append(piece) { try await receive(event) }
      }
    }
  }

  /// What is answered in the end, where it is streamed as `token` events, then `done` or `error`.
  /// - Throws: ``Failure``.
  package func answer<Value: Decodable & Sendable>(
    _ path: String, _ body: (any Encodable)?, onText: @escaping @Sendable (String) -> Void
  ) async throws -> Value {
    var value: Value?
    try await events(.POST, path, body) { event in
      switch event.name {
      case "token": if let piece = event.value([String: String].self)?["text"] { onText(piece) }
      case "done": value = event.value(Value.self)
      case "error": throw Failure(event.value(ErrorForm.self))
      default: break
      }
    }
    guard let value else { throw Failure.broken }
    return value
  }

  private func exchange<Value>(
    _ method: Method, _ path: String, _ body: (any Encodable)?, accept: String,
    _ read: (inout ServiceExchange) async throws -> Value
  ) async throws -> Value {
    let connection = try connect()
    defer { close(connection) }
    do {
      var exchange = ServiceExchange(connection, on: try SocketThread.shared())
      try await exchange.send(Self.request(method, path, body.map { JSON.text($0) } ?? "", accept: accept))
      let status = try await exchange.status()
      guard (200..<300).contains(status) else { throw try await Self.refusal(status, &exchange) }
      return try await read(&exchange)
    } catch let error where error is Failure || error is CancellationError || error is ThreadError {
      throw error
    } catch {
      // However it ended within an answer.
      throw Failure.broken
    }
  }

  private static func request(_ method: Method, _ path: String, _ body: String, accept: String) -> [UInt8] {
    let head = [
      "\(method.rawValue) \(path) HTTP/1.1", "host: pet", "accept: \(accept)", "content-type: application/json",
      "content-length: \(body.utf8.count)", "", "",
    ]
    return Array((head.joined(separator: "\r\n") + body).utf8)
  }

  /// With whom it should be, in folders that nobody else may write.
  private func connect() throws(Failure) -> Int32 {
    do throws(FolderTrustError) { try service.checkFolders() } catch { throw .exposed(error) }
    do throws(LocalService.Failure) {
      return try service.connect()
    } catch {
      switch error {
      case .stranger(let user): throw .stranger(socket: socket, user: user)
      case .system(EACCES), .system(EPERM):
        throw isSomethingElse ? .noService(socket: socket) : .notAllowed(socket: socket)
      // Its queue is full; or the broker does not answer.
      case .system(EAGAIN), .system(ETIMEDOUT): throw .silent(socket: socket)
      case .system(EPIPE), .system(ENOTCONN): throw .brokerLost(socket: socket)
      case .system(let code) where [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(code):
        throw .noRoom(socket: socket, code: code)
      case .system: throw .noService(socket: socket)
      }
    }
  }

  /// - Throws: `CancellationError`.
  private static func refusal(_ status: Int, _ exchange: inout ServiceExchange) async throws -> Failure {
    var bytes = Data()
    do {
      while let piece = try await exchange.piece(), bytes.count < 1 << 16 { bytes += piece }
    } catch let error as CancellationError {
      throw error
    } catch {
      // The status says enough.
    }
    let form = try? JSONDecoder().decode(ErrorForm.self, from: bytes)
    return .refused(
      status: UInt(status), message: form?.error.message ?? "petd answers with the status \(status)",
      code: form?.error.code)
  }
}
