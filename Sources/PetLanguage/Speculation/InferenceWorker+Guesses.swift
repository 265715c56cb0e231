// SPDX-License-Identifier: Apache-2.0
extension InferenceWorker {
  /// What may come next in each reply, where guessing pays: from what was said before, else from the smaller model.
  func guesses(for requests: [InferenceRequest], shares: [Int]) -> [[Int32]] {
    var room = steps.batchSize - shares.reduce(0, +)
    guard let policy = costs.policy(replies: requests.count) else { return requests.map { _ in [] } }
    return zip(requests, shares).map { request, share in
      guard share == request.facts.missing else { return [] }
      // LongRoPE turns all keys anew where a sequence becomes long: that is no moment to guess.
      let most = min(request.guessRoom, room, SpeculationPolicy.most)
      let origin = transformer.origin(length: request.history.count + most, request.sequence.adapter)
      guard most > 0, origin == request.sequence.cache.origin else { return [] }
      var found = Array(PromptLookup.guess(after: request.history, count: most))
      let seconds = found.isEmpty ? draft?.seconds : 0
      guard let seconds else { return [] }
      let best = policy.count(
        acceptance: request.guesses.acceptance, available: found.isEmpty ? most : found.count, guess: seconds)
      let count = min(most, request.guessCount(best))
      if found.isEmpty { found = draftGuesses(for: request, count: count) }
      found = Array(found.prefix(count))
      room -= found.count
      return found
    }
  }

  private func draftGuesses(for request: InferenceRequest, count: Int) -> [Int32] {
    guard let draft, count > 0 else { return [] }
    let cache = request.sequence.draftCache ?? draft.makeCache(capacity: request.sequence.cache.capacity)
    request.sequence.draftCache = cache
    // A guess that cannot be made is none; the reply goes on.
    let guesses = (try? draft.guess(after: request.history, count: count, in: cache)) ?? []
    if guesses.isEmpty { request.guessedNothing() }
    return guesses
  }
}
