// SPDX-License-Identifier: Apache-2.0
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
    guard error != .headerOverflow else {
      return ServiceError(.requestHeaderFieldsTooLarge, "the header fields are larger than this server takes")
    }
    return ServiceError(.badRequest, text(error))
  }

  /// As far as the parser tells.
  private static func text(_ error: HTTPParserError) -> String {
    switch error {
    case .invalidContentLength: "the Content-Length field is no number of bytes that this server takes"
    case .unexpectedContentLength:
      "there are several Content-Length fields, or one beside Transfer-Encoding: where the body ends is not certain"
    case .invalidChunkSize: "the size of a chunk is no hexadecimal number that this server takes"
    case .invalidHeaderToken: "a header field has a byte that must not stand there, such as a space before its colon"
    case .lfExpected, .strictModeAssertion: "a line or a chunk does not end with CR LF"
    case .invalidEOFState: "the request ends before it is whole"
    case .closedConnection: "something follows a request that said it was the last"
    case .invalidMethod: "the request does not begin with a method that is known"
    case .invalidURL, .invalidHost, .invalidPort, .invalidPath, .invalidQueryString, .invalidFragment:
      "the target is no path of a URL"
    // What else it refuses has no case of its own there.
    case .unknown:
      "the Transfer-Encoding field is not \"chunked\", the only coding here, or a line does not end with CR LF"
    default: "the request is not HTTP/1.1"
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
