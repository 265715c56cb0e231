import NIOCore
import NIOHTTP1

/// Answers what is no HTTP, or has too much of it, in the form of all errors. A connection gets one last answer: where a request
/// was refused for its framing and its parser then fails too, or the other way round, the first to say so says it alone.
final class ParserErrors: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private var isAnswering = false
  /// The connection closes with the answer that is, or was, given.
  private var isLast = false

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let error = error as? HTTPParserError, !isAnswering, !isLast {
      isLast = true
      let refusal = Self.refusal(error)
      let body = ByteBuffer(string: refusal.json)
      let head = HTTPResponseHead(
        version: .http1_1, status: refusal.status,
        headers: [
          "connection": "close", "content-type": "application/json", "content-length": "\(body.readableBytes)",
        ])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
    context.fireErrorCaught(error)
  }

  /// What is told of an error of the parser.
  static func refusal(_ error: HTTPParserError) -> ServiceError {
    switch error {
    case .headerOverflow:
      ServiceError(.requestHeaderFieldsTooLarge, "the header fields are larger than this server takes")
    case .invalidContentLength:
      ServiceError(.badRequest, "the Content-Length field is no number of bytes that this server takes")
    default: ServiceError(.badRequest, "the request is not HTTP/1.1")
    }
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
