// SPDX-License-Identifier: Apache-2.0
import CSandbox

/// What this kernel will let a program give up: how private pet chat and petd will be here.
package struct PrivacyOutlook: Sendable, Equatable {
  package let hasFilters: Bool
  /// 0: none.
  package let landlockVersion: Int
  package let swapFacts: SwapFacts
  package let selfTest: SelfTest

  /// Has a child seal itself and try.
  package static func read() -> PrivacyOutlook {
    PrivacyOutlook(
      hasFilters: ps_filter_support() == 0, landlockVersion: Int(ps_landlock_version()), swapFacts: .read(),
      selfTest: SelfTest(.coming, rules: -1))
  }

  package var state: PrivacyStatus.State { hasFilters && selfTest.isPassed ? .enforced : .observed }

  /// Why it is not enforced, or what of it is not whole; nil: nothing.
  package var reason: String? {
    if !hasFilters { return "the kernel takes no filters of system calls" }
    if !selfTest.isPassed { return selfTest.finding }
    return landlockVersion == 0 ? "but files: the kernel has no Landlock (Linux 5.13)" : nil
  }

  package var kernel: String {
    "\(hasFilters ? "seccomp filters" : "no seccomp filters"), "
      + (landlockVersion > 0 ? "Landlock version \(landlockVersion)" : "no Landlock")
  }

  package var swap: String {
    swapFacts.isPossible ? "\(swapFacts.total >> 20) MiB: what is said may get there" : "none that could be used"
  }
}

extension PrivacyOutlook: Encodable {
  private enum Keys: String, CodingKey {
    case state, reason
    case hasFilters = "seccomp"
    case landlockVersion = "landlock"
    case swapBytes = "swap_bytes"
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(state.rawValue, forKey: .state)
    try container.encode(reason, forKey: .reason)
    try container.encode(hasFilters, forKey: .hasFilters)
    try container.encode(landlockVersion, forKey: .landlockVersion)
    try container.encode(swapFacts.isPossible ? swapFacts.total : 0, forKey: .swapBytes)
  }
}
