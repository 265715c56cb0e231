/// How much of a machine the engine takes.
public enum Profile: String, Sendable, CaseIterable, Codable {
  /// Every processor that may be used, the full context.
  case phone
  /// One thread, a small context, the model that is part of the program.
  case watch

  /// Tokens of a conversation's context.
  public var contextLength: Int {
    switch self {
    case .phone: 2048
    case .watch: 512
    }
  }

  /// Whether weights are copied into the fastest layout, or stay mapped, where they count as the file's pages.
  public var copiesWeights: Bool { self == .phone }

  /// Threads that compute: never more than the process may use at once.
  /// - Parameters:
  ///   - processors: those that the process may run on.
  ///   - quota: processors' worth of time that its control group grants; nil: no limit.
  public func threadCount(processors: Int, quota: Double?) -> Int {
    switch self {
    case .watch: return 1
    case .phone:
      let granted = quota.map { Int(min($0, 1024).rounded(.up)) } ?? processors
      return max(1, min(processors, granted, 64))
    }
  }

  /// The same for the machine that this runs on.
  public func threadCount(on share: ProcessorShare = .read()) -> Int {
    threadCount(processors: share.allowed, quota: share.quota)
  }
}
