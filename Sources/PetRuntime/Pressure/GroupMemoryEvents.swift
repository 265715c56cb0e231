// SPDX-License-Identifier: Apache-2.0
/// `memory.events` of a control group of version 2: how often each thing happened.
struct GroupMemoryEvents: Sendable, Equatable {
  private(set) var high: UInt64 = 0
  private(set) var max: UInt64 = 0
  private(set) var outOfMemory: UInt64 = 0

  /// - Parameter text: lines of "high 0".
  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count == 2, let count = UInt64(fields[1]) else { continue }
      switch fields[0] {
      case "high": high = count
      case "max": max = count
      case "oom", "oom_kill": outOfMemory = outOfMemory.saturatingAdd(count)
      default: break
      }
    }
  }

  /// What the change from `earlier` means: nil where nothing of it is pressure.
  func level(since earlier: GroupMemoryEvents) -> MemoryPressureLevel? {
    if outOfMemory > earlier.outOfMemory || max > earlier.max { return .critical }
    return high > earlier.high ? .warning : nil
  }
}
