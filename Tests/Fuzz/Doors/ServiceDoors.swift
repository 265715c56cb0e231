// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOEmbedded
import NIOHTTP1
import PetAPI
import PetService

/// What comes over a connection.
enum ServiceDoors {
  /// Bytes of a connection, through the handlers of the daemon; the first byte says in pieces of what length they come.
  static func http(_ bytes: [UInt8]) throws {
    let channel = EmbeddedChannel()
    var limits = HTTPLimits()
    limits.bodyBytes = 1 << 12
    limits.headerBytes = 1 << 12
    try HTTPPipeline.configure(channel, limits)
    try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    let length = max(1, Int(bytes.first ?? 1) * 2)
    var rest = bytes.dropFirst()
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    while !rest.isEmpty, channel.isActive {
      var failure: (any Error)?
      do { try channel.writeInbound(ByteBuffer(bytes: rest.prefix(length))) } catch { failure = error }
      try answer(channel)
      if let failure { throw failure }
      rest = rest.dropFirst(length)
    }
  }

  private static func answer(_ channel: EmbeddedChannel) throws {
    while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
      switch part {
      case .head(let head):
        _ = HTTPPipeline.refusal(ofFramingOf: head)
        _ = try? RequestTarget(head.uri)
      case .body(let piece): precondition(piece.readableBytes <= 1 << 13)
      case .end:
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "0"])
        try channel.writeOutbound(HTTPServerResponsePart.head(head))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
      }
    }
    while try channel.readOutbound(as: ByteBuffer.self) != nil {}
  }

  static func target(_ bytes: [UInt8]) throws {
    let target = try RequestTarget(String(decoding: bytes, as: UTF8.self))
    for name in target.path {
      precondition(!name.isEmpty && name != "." && name != ".." && !name.contains("/"), "a path that leaves its folder")
    }
  }

  /// Bodies of requests: OpenAI's chat form, and this project's own.
  static func body(_ bytes: [UInt8]) throws {
    let body = ByteBuffer(bytes: bytes)
    _ = try? JSON.decode(TextRequest.self, body)
    let chat = try JSON.read(ChatRequest.self, body).value
    _ = try chat.conversation()
    if let tools = try chat.tools.registry() { _ = (tools.names, tools.instructions) }
  }

  /// A response is the same however it is cut; the first byte says into what.
  static func response(_ bytes: [UInt8]) {
    let length = max(1, Int(bytes.first ?? 1))
    let content = Array(bytes.dropFirst())
    var whole = ResponseReader()
    var pieces = ResponseReader()
    let expected = try? whole.append(content)
    var found: [UInt8]? = []
    for start in stride(from: 0, to: content.count, by: length) where found != nil {
      let part = try? pieces.append(content[start..<min(content.count, start + length)])
      found = part.map { (found ?? []) + $0 }
    }
    precondition(found == expected, "a response depends on how it comes")
    precondition(found == nil || whole.status == pieces.status && whole.mayEnd == pieces.mayEnd, "so does its end")
    precondition((expected ?? []).count <= content.count, "a body that nobody sent")
  }

  /// Events are the same however they are cut; the first byte says into what.
  static func events(_ bytes: [UInt8]) {
    let length = max(1, Int(bytes.first ?? 1))
    let content = Array(bytes.dropFirst())
    var whole = EventReader()
    var pieces = EventReader()
    let expected = whole.append(content)
    let found = stride(from: 0, to: content.count, by: length).flatMap {
      pieces.append(content[$0..<min(content.count, $0 + length)])
    }
    precondition(found == expected, "events depend on how they come")
  }
}
