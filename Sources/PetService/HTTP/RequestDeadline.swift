// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// Closes a connection whose client takes too long to send a request, and one that rests when the server drains.
final class RequestDeadline: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart

  /// To every connection, when nothing new is taken.
  struct Drain: Sendable {}

  private let limit: TimeAmount
  private var timer: Scheduled<Void>?
  private var isAnswering = false
  /// Answers that were given and are not yet all on their way.
  private var leaving = 0
  private var isDraining = false

  init(_ limit: Duration) {
    self.limit = TimeAmount(limit)
  }

  func channelActive(context: ChannelHandlerContext) {
    start(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) {
      timer?.cancel()
      isAnswering = true
      context.triggerUserOutboundEvent(RequestBudget.Renewal(), promise: nil)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else {
      context.write(data, promise: promise)
      return
    }
    isAnswering = false
    leaving += 1
    // Before the write, which hands on a request that has come already.
    start(context)
    let written = promise ?? context.eventLoop.makePromise()
    let channel = context.channel
    written.futureResult.assumeIsolated().whenComplete { _ in
      self.leaving -= 1
      if self.isDraining, self.isResting { channel.close(promise: nil) }
    }
    context.write(data, promise: written)
  }

  /// Nothing was asked that the client has not been told all of.
  private var isResting: Bool { !isAnswering && leaving == 0 }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is Drain {
      isDraining = true
      if isResting { context.close(promise: nil) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func start(_ context: ChannelHandlerContext) {
    timer?.cancel()
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
  }
}
