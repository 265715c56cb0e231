// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("Pressure tracker")
struct PressureTrackerTests {
  @Test("events are told each time, what is left only when it gets worse, the end once")
  func tells() {
    var tracker = PressureTracker()
    func quiet(_ count: Int) -> [MemoryPressureLevel?] { (0..<count).map { _ in tracker.observe(tick: .normal) } }
    #expect(quiet(20).allSatisfy { $0 == nil })
    #expect(tracker.observe(event: .warning) == .warning)
    #expect(tracker.observe(event: .warning) == .warning)
    #expect(tracker.observe(tick: .warning) == nil)
    #expect(tracker.observe(tick: .critical) == .critical)
    #expect(tracker.observe(tick: .critical) == nil)
    #expect(quiet(4).allSatisfy { $0 == nil })
    #expect(tracker.observe(event: .warning) == .warning)  // not over yet
    #expect(quiet(5) == [nil, nil, nil, nil, .normal])
    #expect(quiet(20).allSatisfy { $0 == nil })
  }
}
