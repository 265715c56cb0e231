// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Lets progress through in steps of a hundredth, so that a loader may report as often as it likes.
final class ProgressSteps: Sendable {
  private let last = Mutex(0)

  func isStep(_ progress: Double) -> Bool {
    guard progress >= 0, progress <= 1 else { return false }
    let hundredths = Int(progress * 100)
    return last.withLock { last in
      guard hundredths > last else { return false }
      last = hundredths
      return true
    }
  }
}
