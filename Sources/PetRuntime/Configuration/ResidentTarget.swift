// SPDX-License-Identifier: Apache-2.0
/// What a process of this profile should keep in memory, in bytes.
package struct ResidentTarget: Sendable, Equatable {
  /// With no model loaded.
  package let idle: UInt64
  /// While chatting, beside the model's file.
  package let besideModel: UInt64

  package init(_ profile: Profile) {
    switch profile {
    case .phone: (idle, besideModel) = (20_000_000, 60_000_000)
    case .watch: (idle, besideModel) = (16_000_000, 24_000_000)
    }
  }
}
