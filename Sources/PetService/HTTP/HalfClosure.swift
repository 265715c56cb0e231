// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// Learns whether a client that sends no more still reads what it waits for.
///
/// Over TCP one that closed altogether looks the same until something is written: then its system answers with a reset, which closes
/// the channel. So it gets an interim response now and then (RFC 9110, section 15.2), or a comment in a stream of events.
final class HalfClosure: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private static let interval = TimeAmount.seconds(1)

  /// What may be written at this place; nil: nothing.
  private var probe: HTTPServerResponsePart?
  private var timer: Scheduled<Void>?

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // HTTP/1.0 has no interim responses.
    if case .head(let head) = unwrapInboundIn(data), head.version.minor > 0 {
      probe = .head(HTTPResponseHead(version: .http1_1, status: .continue))
    }
    context.fireChannelRead(data)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { start(context) }
    context.fireUserInboundEventTriggered(event)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.code >= 200:
      let isEvents = head.headers.first(name: "content-type") == "text/event-stream"
      probe = isEvents ? .body(.byteBuffer(ByteBuffer(string: ":\n\n"))) : nil
    case .end: probe = nil
    case .head, .body: break
    }
    context.write(data, promise: promise)
  }

  private func start(_ context: ChannelHandlerContext) {
    guard timer == nil else { return }
    wait(context)
  }

  private func wait(_ context: ChannelHandlerContext) {
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.interval) {
      guard context.channel.isActive else { return }
      if let probe = self.probe { context.writeAndFlush(self.wrapOutboundOut(probe), promise: nil) }
      self.wait(context)
    }
  }
}
