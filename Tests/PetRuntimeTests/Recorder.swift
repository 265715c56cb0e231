// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Remembers what a callback was told.
final class Recorder<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  var all: [Value] { values.withLock { $0 } }

  func add(_ value: Value) {
    values.withLock { $0.append(value) }
  }
}
