import PetCompanion

/// What a model's reply must be like, or else a written one is said.
struct Expectation: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    case takesUp(Grounds)
    case shows(Sentiment, to: String)
  }

  let kind: Kind
  let instead: Reply

  init(_ kind: Kind, instead: Reply) {
    self.kind = kind
    self.instead = instead
  }

  var sentiment: Sentiment? {
    if case .shows(let sentiment, to: _) = kind { sentiment } else { nil }
  }

  func isMet(by reply: Reply) -> Bool {
    switch kind {
    case .takesUp(let grounds): grounds.areTakenUp(by: reply.text)
    case .shows(let sentiment, let message): SympathyLines.standard.shows(sentiment, reply, to: message)
    }
  }
}
