// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// One bar per stage of some work, one after the other.
final class StageBars: Sendable {
  private let name: String
  private let current = Mutex<(stage: String, bar: ProgressBar)?>(nil)

  init(_ name: String) { self.name = name }

  func update(_ stage: String, _ done: UInt64, _ total: UInt64, unit: ProgressBar.Unit = .bytes) {
    let bar = current.withLock { current in
      if let current, current.stage == stage { return current.bar }
      current?.bar.finish()
      let bar = ProgressBar("\(stage) \(name)", total: total, unit: unit)
      current = (stage, bar)
      return bar
    }
    bar.update(done)
  }

  func finish() { current.withLock { $0?.bar.finish() } }
}
