import Glibc

/// The limit on the files that this process may have open (`ulimit -n`).
package enum DescriptorLimit {
  /// What a server has open by itself, beside three for each of its event loops; without them its library ends the process.
  private static let base: UInt64 = 64

  /// - Throws: ``DescriptorLimitError`` where the limit leaves no room for a server.
  package static func check() throws(DescriptorLimitError) {
    let needed = base + 3 * UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < needed else { return }
    throw DescriptorLimitError(limit: UInt64(limit.rlim_cur), needed: needed)
  }
}

package struct DescriptorLimitError: UserFacingError, Equatable {
  let limit: UInt64
  let needed: UInt64

  package var description: String {
    "this process may have \(limit) files open, and at least \(needed) are needed; raise the limit (ulimit -n)"
  }
}
