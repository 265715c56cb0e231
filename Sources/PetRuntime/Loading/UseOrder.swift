// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Numbers that grow with every use of any model: who was used least recently, without a clock.
enum UseOrder {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}

/// The models that this task uses now: by it a use within a use is known.
enum ModelUse {
  @TaskLocal static var held: Set<ObjectIdentifier> = []
}
