// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// What stands between the bytes of a connection and its requests.
package enum HTTPPipeline {
  /// Adds the handlers; on the event loop of the channel.
  package static func configure(_ channel: any Channel, _ limits: HTTPLimits) throws {
    var decoder = NIOHTTPDecoderLimitConfiguration()
    decoder.maxHeaderListSize = limits.headerBytes
    decoder.maxHeaderFieldSize = limits.headerBytes
    decoder.maxHeaderFieldCount = limits.headerFields
    // Those of an answer to HEAD, and to HTTP/1.0, are not those that the encoder takes them for.
    var encoder = HTTPResponseEncoder.Configuration()
    encoder.automaticallySetFramingHeaders = false
    // Framing of many small chunks counts as well.
    let most = limits.headerBytes + limits.bodyBytes + limits.bodyBytes / 8
    try channel.pipeline.syncOperations.addHandler(RequestBudget(most))
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withErrorHandling: false, withEncoderConfiguration: encoder, withDecoderLimitConfiguration: decoder)
    try channel.pipeline.syncOperations.addHandler(ParserErrors())
    try channel.pipeline.syncOperations.addHandler(RequestDeadline(limits.requestTime))
    try channel.pipeline.syncOperations.addHandler(WriteDeadline(limits.writeTime))
  }

  /// Whether more than the head is to come: RFC 9112, section 6.3.
  static func announcesBody(_ head: HTTPRequestHead) -> Bool {
    guard !head.headers.contains(name: "transfer-encoding") else { return true }
    return head.headers["content-length"].contains { Int($0) != 0 }
  }

  /// What leaves two ways to say where a request ends, or none to say whom it is for: RFC 9112, sections 6.1 and 3.2.
  package static func refusal(ofFramingOf head: HTTPRequestHead) -> ServiceResponse? {
    if head.version.minor > 0, head.headers["host"].isEmpty { return .refusal(.badRequest, "there is no Host field") }
    let codings = head.headers["transfer-encoding"]
    guard !codings.isEmpty else { return nil }
    guard head.version.minor > 0 else { return .refusal(.badRequest, "HTTP/1.0 has no transfer codings") }
    guard codings.count == 1, codings[0].lowercased() == "chunked" else {
      return .refusal(.notImplemented, "the only transfer coding here is chunked")
    }
    return nil
  }
}
