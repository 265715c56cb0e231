// SPDX-License-Identifier: Apache-2.0
import NIOCore

/// Closes a connection that sends more for one request than any may have. The parser passes over what is no part of the body, as
/// extensions of chunks are (RFC 9112, section 7.1.1), and would do so for ever.
final class RequestBudget: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer

  /// A request was read to its end.
  struct Renewal: Sendable {}

  private let limit: Int
  private var spent = 0

  /// - Parameter limit: in bytes.
  init(_ limit: Int) { self.limit = limit }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    spent += unwrapInboundIn(data).readableBytes
    guard spent <= limit else {
      context.close(promise: nil)
      return
    }
    context.fireChannelRead(data)
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard event is Renewal else {
      context.triggerUserOutboundEvent(event, promise: promise)
      return
    }
    spent = 0
    promise?.succeed()
  }
}
