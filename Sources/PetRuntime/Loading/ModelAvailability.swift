// SPDX-License-Identifier: Apache-2.0
/// Whether a model can be used now, and if not, why. In the shape of Apple's Foundation Models.
///
/// ```swift
/// switch await model.availability {
/// case .available: await answer()
/// case .unavailable(.notInstalled(let name)): tell("run: pet models pull \(name)")
/// case .unavailable(let reason): tell("\(reason)")
/// }
/// ```
public enum ModelAvailability: Sendable, Equatable {
  /// A use begins at once, or after a load for which there is room.
  case available
  case unavailable(Reason)

  public enum Reason: Sendable, Equatable, CustomStringConvertible {
    /// It is known, and not on this machine yet.
    case notInstalled(name: String)
    /// Nothing is known by this name, or at this path.
    case notFound(String)
    /// Bytes: what it needs, the most that can be had for it, and what all models together may take.
    case notEnoughMemory(needed: UInt64, available: UInt64, budget: UInt64)
    /// The processor lacks what it requires.
    case deviceNotEligible(RunDecision.Reason)
    /// The file is damaged, or is none that this engine runs.
    case refused(String)
    /// The last load failed; the next use tries again.
    case loadFailed(String)
    /// A load is running; `progress` is from 0 to 1. A use waits for it.
    case loading(progress: Double)
    /// It is unloaded once the running uses have ended. A use waits for that, then loads it again.
    case unloading
    /// The program is shutting down and accepts no new requests.
    case shuttingDown

    /// Whether waiting may help.
    public var isTemporary: Bool {
      switch self {
      case .loading, .unloading: true
      case .notInstalled, .notFound, .notEnoughMemory, .deviceNotEligible, .refused, .loadFailed, .shuttingDown: false
      }
    }

    /// One line that says how to mend it.
    public var description: String {
      switch self {
      case .notInstalled(let name): ModelStoreError.notPulled(name: name).description
      case .notFound(let why), .refused(let why), .loadFailed(let why): why
      case .notEnoughMemory(let needed, let available, let budget):
        "it needs \(Self.megabytes(needed)) of memory, and \(Self.megabytes(available)) can be had within the budget of "
          + "\(Self.megabytes(budget)); choose a smaller model, close programs, or raise memory.budget"
      case .deviceNotEligible(let reason): reason.description
      case .loading(let progress): "it is being loaded: \(Int(max(0, min(progress, 1)) * 100)) %; wait a moment"
      case .unloading: "it is being unloaded; wait a moment"
      case .shuttingDown: "the program is about to end; ask its next run"
      }
    }

    private static func megabytes(_ bytes: UInt64) -> String { "\(bytes / 1_000_000) MB" }
  }

  public var isAvailable: Bool { self == .available }

  /// What is known of a model.
  package struct Facts: Sendable, Equatable {
    /// Why no file can be named; nil: one can.
    package var problem: ModelStoreError?
    /// Why the file that there is cannot be used; nil: nothing is wrong with it, as far as was looked.
    package var refusal: String?
    package var state: LoadState
    /// Bytes that it would take.
    package var needed: UInt64
    /// What there is for it; nil: it stands alone, without a budget.
    package var memory: MemoryBudget?

    package init(
      problem: ModelStoreError? = nil, refusal: String? = nil, state: LoadState = .notLoaded, needed: UInt64 = 0,
      memory: MemoryBudget? = nil
    ) {
      self.problem = problem
      self.refusal = refusal
      self.state = state
      self.needed = needed
      self.memory = memory
    }
  }

  package init(_ facts: Facts) { self = Self.reason(facts).map { .unavailable($0) } ?? .available }

  private static func reason(_ facts: Facts) -> Reason? {
    switch facts.state {
    case .loaded: return nil
    case .loading(let progress): return .loading(progress: progress)
    case .unloading: return .unloading
    case .notLoaded, .failed: break
    }
    if let problem = facts.problem { return Reason(problem, budget: facts.memory?.budget) }
    if let refusal = facts.refusal { return .refused(refusal) }
    if let memory = facts.memory, case .refuse(let available) = memory.decide(needed: facts.needed) {
      return .notEnoughMemory(needed: facts.needed, available: available, budget: memory.budget)
    }
    if case .failed(let why) = facts.state { return .loadFailed(why) }
    return nil
  }
}

extension ModelAvailability.Reason {
  init(_ problem: ModelStoreError, budget: UInt64?) {
    switch problem {
    case .notPulled(let name): self = .notInstalled(name: name)
    case .damaged: self = .refused(problem.description)
    case .cannotRun(_, let reasons):
      // Memory may be had, another processor not: that is said first.
      guard let first = reasons.first(where: { if case .int8Hardware = $0 { true } else { false } }) ?? reasons.first
      else {
        self = .refused(problem.description)
        return
      }
      switch first {
      case .memory(let needed, let usable):
        self = .notEnoughMemory(needed: needed, available: usable, budget: budget ?? usable)
      case .budget(let needed, let budget):
        self = .notEnoughMemory(needed: needed, available: budget, budget: budget)
      case .int8Hardware: self = .deviceNotEligible(first)
      }
    case .noHome, .relativeHome, .noDefault, .invalidName, .unknown, .notInstalled, .notBuiltIn, .noSuchFile, .notAFile,
      .file:
      self = .notFound(problem.description)
    }
  }
}
