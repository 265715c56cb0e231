// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// Hands requests on as they are asked for, and reads no further than a few parts ahead.
final class RequestParts: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias Incoming = NIOThrowingAsyncSequenceProducer<
    HTTPServerRequestPart, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
  >

  /// Of whoever reads the parts.
  struct Demand: NIOAsyncSequenceProducerDelegate {
    fileprivate let handler: NIOLoopBound<RequestParts>

    func produceMore() { handler.eventLoop.execute { handler.value.resume() } }
    func didTerminate() {}
  }

  private var source: Incoming.Source?
  private var context: ChannelHandlerContext?
  private var isPaused = false
  private var isReadAsked = false

  func begin(on eventLoop: any EventLoop) -> Incoming {
    let new = Incoming.makeSequence(
      backPressureStrategy: .init(lowWatermark: 2, highWatermark: 10), finishOnDeinit: true,
      delegate: Demand(handler: NIOLoopBound(self, eventLoop: eventLoop)))
    source = new.source
    return new.sequence
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    finish()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if source?.yield(unwrapInboundIn(data)) == .stopProducing { isPaused = true }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // The client sends no more; what it has sent is answered.
    if event as? ChannelEvent == .inputClosed { finish() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    source?.finish(error)
    source = nil
    context.fireErrorCaught(error)
  }

  func read(context: ChannelHandlerContext) {
    if isPaused { isReadAsked = true } else { context.read() }
  }

  private func resume() {
    isPaused = false
    guard isReadAsked else { return }
    isReadAsked = false
    context?.read()
  }

  private func finish() {
    source?.finish()
    source = nil
  }
}
