// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The soft limits of this process (getrlimit(2)).
enum ProcessLimit {
  /// - Returns: nil where it is `needed` or more, or not known.
  static func falls(below needed: UInt64, _ resource: __rlimit_resource) -> UInt64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur < needed else { return nil }
    return UInt64(limit.rlim_cur)
  }
}
