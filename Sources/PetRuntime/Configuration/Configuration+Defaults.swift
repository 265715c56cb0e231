// SPDX-License-Identifier: Apache-2.0
extension Configuration {
  /// What the profile takes where nobody asks for anything else.
  public init(_ profile: Profile = .phone) { self.init(profile, share: { .read() }) }

  /// - Parameter share: asked only in a profile whose threads depend on the machine.
  package init(_ profile: Profile, share: () -> ProcessorShare) {
    self.init(Setting(profile, .standard), share: share)
  }

  init(_ profile: Setting<Profile>, share: () -> ProcessorShare) {
    let name = profile.value
    func value<Value>(phone: @autoclosure () -> Value, watch: @autoclosure () -> Value) -> Setting<Value> {
      Setting(name == .phone ? phone() : watch(), .profile(name))
    }
    self.init(
      profile: profile,
      model: value(phone: nil, watch: nil),
      quality: value(phone: .automatic, watch: .low),
      threads: value(phone: share().threadCount, watch: 1),
      weights: value(phone: .interleaved, watch: .rowMajor),
      context: value(phone: 2048, watch: 512),
      cachePrecision: value(phone: .f16, watch: .q8_0),
      predictionCacheSize: value(phone: 32_000_000, watch: 4_000_000),
      predictionCachePersisted: value(phone: true, watch: true),
      classifierQuality: value(phone: .automatic, watch: .low),
      optionalClassifiers: value(phone: true, watch: false),
      memoryBudget: value(phone: ModelRuntime.standardBudget, watch: 200_000_000),
      idleTimeToLive: value(phone: .seconds(600), watch: .seconds(60)),
      safety: value(phone: .care, watch: .care),
      rungs: value(phone: Set(Rung.allCases), watch: Set(Rung.allCases)))
  }
}
