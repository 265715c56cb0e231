// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// Closes a connection whose client takes nothing of what is written for too long.
///
/// A timer of the event loop and not a task that sleeps: a cancelled one stays in memory until its time is up, one for each write.
final class WriteDeadline: ChannelOutboundHandler {
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limit: TimeAmount
  private var timer: Scheduled<Void>?
  /// Writes that the client has not taken.
  private var pending = 0

  init(_ limit: Duration) { self.limit = TimeAmount(limit) }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let written = promise ?? context.eventLoop.makePromise()
    pending += 1
    if timer == nil { start(context.channel) }
    let channel = context.channel
    written.futureResult.assumeIsolated().whenComplete { _ in
      self.pending -= 1
      self.timer?.cancel()
      self.timer = nil
      if self.pending > 0 { self.start(channel) }
    }
    context.write(data, promise: written)
  }

  private func start(_ channel: any Channel) {
    timer = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
  }
}

extension TimeAmount {
  init(_ duration: Duration) { self = .nanoseconds(Int64(max(0, min(duration / .nanoseconds(1), 1e15)))) }
}
