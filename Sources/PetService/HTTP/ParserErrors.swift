import NIOCore
import NIOHTTP1

/// Answers what is no HTTP with 400. A connection gets one last answer: where a request was refused for its framing and its parser then
/// fails too, or the other way round, the first to say so says it alone.
final class ParserErrors: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private var isAnswering = false
  /// The connection closes with the answer that is, or was, given.
  private var isLast = false

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is HTTPParserError, !isAnswering, !isLast {
      isLast = true
      let head = HTTPResponseHead(
        version: .http1_1, status: .badRequest, headers: ["connection": "close", "content-length": "0"])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.code >= 200:
      guard !isLast else { break }
      isAnswering = true
      isLast = head.headers["connection"].contains("close")
    case .end where isAnswering:
      isAnswering = false
      context.write(data, promise: promise)
      return
    case .head, .body, .end: break
    }
    guard isAnswering || !isLast else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    context.write(data, promise: promise)
  }
}
