// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// What is answered to a request.
package struct ServiceResponse: Sendable {
  package enum Body: Sendable {
    case bytes(ByteBuffer)
    /// Piece by piece, as it comes; it ends where this returns. Throwing breaks the connection off, so that nobody takes half an
    /// answer for a whole one.
    case stream(@Sendable (ResponseWriter) async throws -> Void)
  }

  package var status: HTTPResponseStatus
  package var headers: HTTPHeaders
  package var body: Body
  /// It goes on for as long as somebody listens, and ends when the server drains.
  package var isEndless = false

  package init(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:], _ body: Body = .bytes(ByteBuffer())) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  package static func text(
    _ text: String, _ status: HTTPResponseStatus = .ok, type: String = "text/plain; charset=utf-8"
  ) -> ServiceResponse {
    ServiceResponse(status, headers: ["content-type": type], .bytes(ByteBuffer(string: text)))
  }

  /// Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
  package static func events(_ body: @escaping @Sendable (ResponseWriter) async throws -> Void) -> ServiceResponse {
    ServiceResponse(
      .ok, headers: ["content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no"],
      .stream(body))
  }

  /// Events of a stream that has no end of its own.
  static func endlessEvents(_ body: @escaping @Sendable (ResponseWriter) async throws -> Void) -> ServiceResponse {
    var response = events(body)
    response.isEndless = true
    return response
  }
}

/// Where a response that comes piece by piece goes. A reader that takes nothing for too long is left.
package struct ResponseWriter: Sendable {
  /// Nobody reads any more.
  struct ReaderGone: Error {}

  private let send: @Sendable (ByteBuffer) async throws -> Void

  package init(_ send: @escaping @Sendable (ByteBuffer) async throws -> Void) { self.send = send }

  package func write(_ text: String) async throws {
    do { try await send(ByteBuffer(string: text)) } catch { throw ReaderGone() }
  }
}
