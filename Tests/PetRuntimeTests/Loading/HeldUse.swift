// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// A use of a model that goes on until it is ended.
struct HeldUse {
  private let leave: Latch
  private let user: Task<String, any Error>

  /// Returns when the use has begun.
  init(_ model: LazyModel<CountedModel>) async throws {
    let (entered, leave) = (Latch(), Latch())
    user = Task {
      try await model.use { model in
        entered.open()
        try await leave.wait()
        return model.label
      }
    }
    self.leave = leave
    try await entered.wait()
  }

  /// The label of the model that was used.
  func end() async throws -> String {
    leave.open()
    return try await user.value
  }
}
