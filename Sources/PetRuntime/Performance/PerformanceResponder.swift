// SPDX-License-Identifier: Apache-2.0
/// Applies ``ResponsePolicy`` to the models of a runtime, whenever the monitor has evaluated one, and every ten seconds while one is
/// degraded. Sleeps while nothing is computed.
public actor PerformanceResponder {
  /// How a model is used.
  public struct Role: Sendable, Equatable {
    /// Whether nobody waits for it.
    public var isOptional: Bool
    /// Whether it runs periodically, at a rate that can be lowered.
    public var isPeriodic: Bool

    public init(isOptional: Bool = false, isPeriodic: Bool = false) {
      self.isOptional = isOptional
      self.isPeriodic = isPeriodic
    }
  }

  /// A response, when it was given, and why.
  public struct Record: Sendable, Equatable {
    /// Since a fixed moment.
    public var time: Duration
    public var model: String
    public var decision: ResponsePolicy.Decision
  }

  /// What a periodic model may do now.
  public enum Pace: Sendable, Equatable {
    /// At this fraction of its usual rate.
    case run(rate: Double)
    case off
  }

  package struct DeviceState: Sendable, Equatable {
    package var power: PowerFacts
    package var thermal: ThermalState?

    package init(power: PowerFacts = .unavailable, thermal: ThermalState? = nil) {
      self.power = power
      self.thermal = thermal
    }

    /// Reads below `root`, "/" but for tests. Some tens of small files.
    package static func read(root: String = "/") -> DeviceState {
      DeviceState(power: .read(root: root), thermal: ThermalFacts.read(root: root).state)
    }
  }

  private struct Course {
    var rate = 1.0
    var isOff = false
    var wellSince: Duration?
    var last: Duration?
    /// Whether the last response was a step up.
    var isRising = false
    var recovery = ResponsePolicy.shortestRecovery
  }

  /// Devices do not warm up faster than this.
  private static let deviceInterval = Duration.seconds(5)
  private static let longestRecovery = Duration.seconds(960)
  private static let mostRecords = 32
  /// After which what was lowered is looked at again.
  private static let reviewInterval = Duration.seconds(10)

  private let runtime: ModelRuntime
  private let now: @Sendable () -> Duration
  private let readDevice: @Sendable () -> DeviceState
  private let onDecision: @Sendable (Record) -> Void
  private var roles: [String: Role] = [:]
  private var courses: [String: Course] = [:]
  private var pressure = MemoryPressureLevel.normal
  private var device = DeviceState()
  private var deviceRead: Duration?
  private let clock: any Clock<Duration>
  private let (lowered, isLowered) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  /// The last responses other than `.keep`, the oldest first.
  public private(set) var records: [Record] = []

  /// - Parameters:
  ///   - now: time since a fixed moment.
  ///   - clock: for the interval at which degraded models are reviewed.
  ///   - onDecision: called with every decision, `.keep` included.
  public init(
    _ runtime: ModelRuntime, now: @escaping @Sendable () -> Duration = PerformanceMonitor.uptime(),
    clock: any Clock<Duration> = ContinuousClock(), onDecision: @escaping @Sendable (Record) -> Void = { _ in }
  ) {
    self.init(runtime, device: { .read() }, now: now, clock: clock, onDecision: onDecision)
  }

  /// - Parameter device: asked at most every five seconds.
  package init(
    _ runtime: ModelRuntime, device: @escaping @Sendable () -> DeviceState,
    now: @escaping @Sendable () -> Duration = PerformanceMonitor.uptime(),
    clock: any Clock<Duration> = ContinuousClock(),
    onDecision: @escaping @Sendable (Record) -> Void = { _ in }
  ) {
    self.runtime = runtime
    readDevice = device
    self.now = now
    self.clock = clock
    self.onDecision = onDecision
  }

  /// The time that records are told in.
  package nonisolated var time: Duration { now() }

  public func setRole(_ role: Role, of model: String) { roles[model] = role }

  /// Responds until the task is cancelled.
  public func run() async {
    let statistics = runtime.performance.statisticsStream
    await withDiscardingTaskGroup { group in
      group.addTask { for await figures in statistics { await self.respond(to: figures.model) } }
      group.addTask { await self.followLowered() }
    }
  }

  /// Restores degraded models though nobody uses them meanwhile.
  private func followLowered() async {
    for await _ in lowered {
      while case let models = await loweredModels, !models.isEmpty {
        guard (try? await clock.sleep(for: Self.reviewInterval)) != nil else { return }
        for model in models {
          runtime.performance.review(model)
          await respond(to: model)
        }
      }
    }
  }

  private var loweredModels: [String] {
    get async {
      let smaller = await runtime.facts().filter { $0.stepsDown > 0 }.map(\.name)
      return Set(smaller + courses.filter { $0.value.isOff || $0.value.rate < 1 }.keys).sorted()
    }
  }

  /// How short memory is from now on.
  package func note(_ level: MemoryPressureLevel) {
    pressure = level
    isLowered.yield()
  }

  /// The pace that a periodic model must keep now. Asking may restore one that was off.
  public func pace(of model: String) async -> Pace {
    if courses[model]?.isOff == true { await respond(to: model) }
    let course = courses[model] ?? Course()
    return course.isOff ? .off : .run(rate: course.rate)
  }

  /// Decides about a model and applies the decision.
  /// - Returns: the decision.
  @discardableResult
  package func respond(to model: String) async -> ResponsePolicy.Decision {
    let time = now()
    if deviceRead.map({ time - $0 >= Self.deviceInterval }) ?? true {
      device = readDevice()
      deviceRead = time
    }
    let found = await runtime.facts(of: model)
    var course = courses[model] ?? Course()
    let facts = facts(of: model, found, &course, at: time)
    let decision = ResponsePolicy.decide(facts)
    courses[model] = course
    if facts.stepsDown > 0 || facts.isOff || decision.response != .keep { isLowered.yield() }
    guard decision.response == .keep else {
      await carryOut(decision, model, at: time)
      return decision
    }
    onDecision(Record(time: time, model: model, decision: decision))
    return decision
  }

  private func facts(
    of model: String, _ found: ModelFacts?, _ course: inout Course, at time: Duration
  ) -> ResponsePolicy.Facts {
    let role = roles[model] ?? Role()
    var facts = ResponsePolicy.Facts()
    if !course.isOff {
      let recorder = runtime.performance.recorder(for: model)
      (facts.alert, facts.isAlerting) = (recorder.pressingAlerts.first, !recorder.standingAlerts.isEmpty)
    }
    (facts.thermal, facts.power, facts.pressure) = (device.thermal, device.power, pressure)
    facts.isOptional = role.isOptional
    facts.rate = role.isPeriodic ? course.rate : nil
    facts.stepsDown = found?.stepsDown ?? 0
    facts.canDegrade = found?.canDegrade ?? false
    facts.isOff = course.isOff
    facts.recovery = course.recovery
    let since = ResponsePolicy.isWell(facts) ? course.wellSince ?? time : nil
    course.wellSince = since
    facts.wellFor = since.map { time - $0 } ?? .zero
    facts.settledFor = course.last.map { time - $0 } ?? .seconds(3600)
    return facts
  }

  private func carryOut(_ decision: ResponsePolicy.Decision, _ model: String, at time: Duration) async {
    var course = courses[model] ?? Course()
    course.last = time
    switch decision.response {
    case .keep: return
    case .lowerRate(let rate):
      course.rate = rate
      course.isRising = false
    case .degrade:
      // What did not bear a better variant is given longer the next time.
      if course.isRising { course.recovery = min(course.recovery * 2, Self.longestRecovery) }
      course.isRising = false
    case .unload:
      course.isOff = true
      course.isRising = false
    case .raiseRate, .restore:
      // The step before has lasted.
      if course.isRising { course.recovery = ResponsePolicy.shortestRecovery }
      course.isRising = true
      course.wellSince = time
      if case .raiseRate(let rate) = decision.response { course.rate = rate }
    }
    courses[model] = course
    runtime.performance.recorder(for: model).beginAnew(at: time)
    switch decision.response {
    case .degrade: await runtime.degrade(model, because: decision.reason)
    // To the moment in which nobody uses it.
    case .unload: try? await runtime.unload(model)
    case .restore where course.isOff: courses[model]?.isOff = false
    case .restore: await runtime.restore(model)
    case .keep, .lowerRate, .raiseRate: break
    }
    let record = Record(time: time, model: model, decision: decision)
    if records.count == Self.mostRecords { records.removeFirst() }
    records.append(record)
    onDecision(record)
  }
}
