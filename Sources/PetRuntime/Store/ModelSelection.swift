// SPDX-License-Identifier: Apache-2.0
/// The model file that was chosen, and its substitutes.
public struct ModelSelection: Sendable, Equatable {
  public let location: ModelLocation
  /// Why the default is not used, where another model stands in for it; else nil.
  public let standsIn: ModelStoreError?
  /// Lower tiers that are installed, the best first: fallbacks when memory is short.
  package let smaller: [ModelLocation]

  package init(location: ModelLocation, standsIn: ModelStoreError?, smaller: [ModelLocation] = []) {
    self.location = location
    self.standsIn = standsIn
    self.smaller = smaller
  }

  /// The selection without the chosen file, which turned out to be too large; nil where no fallback is left.
  package func steppingDown(from name: String, because reason: RunDecision.Reason) -> ModelSelection? {
    smaller.first.map {
      ModelSelection(
        location: $0, standsIn: standsIn ?? .cannotRun(name: name, [reason]), smaller: Array(smaller.dropFirst()))
    }
  }

  /// A tier of the default model, its state in the store and whether the device can run it.
  package struct Tier {
    let quality: ModelQuality
    let name: String
    let location: ModelLocation
    let state: ModelState
    let decision: RunDecision

    package init(
      quality: ModelQuality, name: String, location: ModelLocation, state: ModelState, decision: RunDecision
    ) {
      self.quality = quality
      self.name = name
      self.location = location
      self.state = state
      self.decision = decision
    }

    /// Why it cannot answer.
    fileprivate var problem: ModelStoreError? {
      switch (state, decision) {
      case (.absent, _): .notPulled(name: name)
      case (.damaged(let error), _): .damaged(name: name, error)
      case (.present, .no(let reasons)): .cannotRun(name: name, reasons)
      case (.present, .yes): nil
      }
    }
  }

  /// Chooses the default: the best installed tier that the machine can run and that is no better than `wanted`; else the built-in
  /// model.
  /// - Parameter tiers: the best first, at least one.
  package static func decide(
    _ tiers: [Tier], wanted: ModelQuality?, builtIn: ModelLocation?
  ) throws(ModelStoreError) -> ModelSelection {
    let allowed = tiers.filter { $0.quality <= wanted ?? .high }
    var problem: ModelStoreError?
    var usable: [ModelLocation] = []
    // No tier is as low as `wanted`: the lowest is used.
    for tier in allowed.isEmpty ? tiers.suffix(1) : allowed[...] {
      if let found = tier.problem {
        if usable.isEmpty { problem = problem ?? found }
      } else {
        usable.append(tier.location)
      }
    }
    if let best = usable.first {
      return ModelSelection(location: best, standsIn: problem, smaller: Array(usable.dropFirst()))
    }
    guard let problem else { throw .noDefault }
    guard let builtIn else { throw problem }
    return ModelSelection(location: builtIn, standsIn: problem)
  }
}
