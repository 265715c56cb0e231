// SPDX-License-Identifier: Apache-2.0
/// How an entry that a person writes into the list of memories is read.
enum ListEntry: Equatable {
  /// A sentence that tells one thing.
  case fact(FactProposal)
  /// More than one fact, or the retraction of one.
  case changes([FactProposal])
  /// A password, or the number of an account, a card or a telephone.
  case secret
  /// No rule reads it: a value, or a sentence of no known form.
  case words(String)
}

extension FactExtractor {
  /// Reads an entry as talk is read. "user's name is Ada", as the list shows it, is read like "my name is Ada".
  /// - Parameter fact: the entry that it replaces, which "no, I meant Ada" corrects.
  /// - Complexity: as of ``proposals(from:after:)``.
  func entry(_ text: String, replacing fact: Fact? = nil, today: CivilDay, at time: Int64) -> ListEntry {
    let line = FactProposal.line(text)
    let said = Self.firstPerson(line)
    guard !Sentence.all(in: said).contains(where: isSecret) else { return .secret }
    let turn = CompletedTurn(said: said, conversation: "", number: 0, time: time, today: today)
    let proposals = proposals(from: turn, after: fact).map(Self.written)
    switch proposals.count {
    case 0: return .words(line)
    // What a person dictates is kept whole, or as it is.
    case _ where fact == nil && proposals.allSatisfy({ $0.action == .remember }) && unread(of: line, by: proposals) > 1:
      return .words(line)
    case 1 where proposals[0].action == .remember: return .fact(proposals[0])
    default: return .changes(proposals)
    }
  }

  /// The number of content words of a line that no extracted fact contains.
  private func unread(of line: String, by proposals: [FactProposal]) -> Int {
    let read = Set(
      proposals.flatMap { Words.stems("\($0.subject) \($0.text) \($0.value)") } + rules.empty.map(Words.stem))
    return Words.stems(line).count { !read.contains($0) && !rules.leads.contains($0) }
  }

  private static func firstPerson(_ line: String) -> String {
    for (list, talk) in [("user's ", "my "), ("user is ", "I am ")] where line.hasPrefix(list) {
      return talk + line.dropFirst(list.count)
    }
    return line
  }

  /// What a person writes down is sure, and stays: only what is bound to a day expires.
  private static func written(_ proposal: FactProposal) -> FactProposal {
    var proposal = proposal
    (proposal.origin, proposal.confidence) = (.person, 1)
    if proposal.kind == .custom { (proposal.expires, proposal.importance) = (nil, max(0.5, proposal.importance)) }
    return proposal
  }
}
