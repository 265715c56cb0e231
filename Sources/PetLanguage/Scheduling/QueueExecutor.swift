// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// Runs an actor on a dispatch queue of its own. A forward pass takes milliseconds: on the cooperative pool, which has
/// as many threads as cores, it would hold up every other task of the program.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
