// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// One request, read to its end.
package struct ServiceRequest: Sendable {
  package let method: HTTPMethod
  package let target: RequestTarget
  package let headers: HTTPHeaders
  package let body: ByteBuffer
  /// Names it in logs and in its response.
  package let id: String
  package let transport: AccessPolicy.Transport

  package init(
    method: HTTPMethod, target: RequestTarget, headers: HTTPHeaders, body: ByteBuffer, id: String,
    transport: AccessPolicy.Transport
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.id = id
    self.transport = transport
  }

  /// Whether the client takes server-sent events.
  var takesEvents: Bool { headers["accept"].contains { $0.contains("text/event-stream") } }
}
