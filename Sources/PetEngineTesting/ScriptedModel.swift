// SPDX-License-Identifier: Apache-2.0
import PetEngine
import Synchronization

/// A model without weights for tests: it answers what a script says, in order, and keeps what it was asked.
///
/// Code that is to be tested takes `some RespondingModel` or `some RespondingSession`; programs give it a `LanguageModel`.
///
/// ```swift
/// let model = ScriptedModel([.text("Hello!"), .overloaded()])
/// let greeting = try await greet("Ada", with: model.makeSession())
/// #expect(model.requests.map(\.message) == ["Say hello to Ada."])
/// ```
///
/// Nothing here looks at a clock but where a reply has a delay. Of the options only ``GenerationOptions/maximumTokens`` is minded: a
/// piece is a token.
public final class ScriptedModel: RespondingModel {
  private struct State {
    var requests: [ScriptedRequest] = []
    var prewarms = 0
  }

  private let script: @Sendable (_ request: ScriptedRequest, _ index: Int) throws -> ScriptedReply
  private let state = Mutex(State())
  let clock: any Clock<Duration>

  /// - Parameters:
  ///   - replies: one for each request, whichever session it comes from. One more request throws ``ScriptEndedError``.
  ///   - clock: by which delays are waited for.
  public convenience init(_ replies: [ScriptedReply], clock: any Clock<Duration> = ContinuousClock()) {
    self.init(clock: clock) { _, index in
      guard index < replies.count else { throw ScriptEndedError(replies: replies.count) }
      return replies[index]
    }
  }

  /// - Parameter reply: gives the reply to a request; `index` counts requests from 0.
  public init(
    clock: any Clock<Duration> = ContinuousClock(),
    reply: @escaping @Sendable (_ request: ScriptedRequest, _ index: Int) throws -> ScriptedReply
  ) {
    script = reply
    self.clock = clock
  }

  /// What was asked, in order.
  public var requests: [ScriptedRequest] { state.withLock { $0.requests } }
  /// How often a session was prewarmed.
  public var prewarmCount: Int { state.withLock { $0.prewarms } }

  public func makeSession(instructions: String? = nil) -> ScriptedSession {
    ScriptedSession(self, instructions: instructions)
  }

  func reply(to request: ScriptedRequest) throws -> ScriptedReply {
    let index = state.withLock { state in
      state.requests.append(request)
      return state.requests.count - 1
    }
    return try script(request, index)
  }

  func countPrewarm() { state.withLock { $0.prewarms += 1 } }
}
