/// How much of a machine the engine takes.
public enum Profile: String, Sendable, CaseIterable {
  /// Every processor that may be used, the full context.
  case phone
  /// One thread, a small context.
  case watch

  /// Tokens of a conversation's context.
  public var contextLength: Int {
    switch self {
    case .phone: 2048
    case .watch: 512
    }
  }

  /// Threads that compute, on a machine with these processors: never more than the process may use at once.
  public func threadCount(for cpu: DeviceFacts.CPU) -> Int {
    switch self {
    case .watch: return 1
    case .phone:
      let quota = cpu.quota.map { Int($0.rounded(.up)) } ?? .max
      return max(1, min(cpu.allowed, quota, 64))
    }
  }
}
