// SPDX-License-Identifier: Apache-2.0
/// What a model's reply must show not to be replaced.
package enum Expectation: Sendable, Equatable {
  case takesUp(Grounds)
  case shows(Sentiment, to: String)

  package func isMet(by reply: Reply) -> Bool {
    switch self {
    case .takesUp(let grounds): grounds.areTakenUp(by: reply.text)
    case .shows(let sentiment, let message): SympathyLines.standard.shows(sentiment, reply, to: message)
    }
  }
}
