// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Passes a value on without keeping it: whoever takes it holds the only reference, however long the frame of the one who
/// gave it lives.
final class Handover<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: Value? = nil) { self.value = Mutex(value) }

  func give(_ value: Value) { self.value.withLock { $0 = value } }

  func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}
