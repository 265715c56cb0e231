// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The limit on the files that this process may have open (`ulimit -n`).
package enum DescriptorLimit {
  /// A conversation with its memory has 16 open, and half as many again for what is read in passing.
  package static let command: UInt64 = 24

  /// What a server has open by itself, and three for each of its event loops; without them its library ends the process.
  package static var server: UInt64 { 64 + 3 * UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// - Throws: ``DescriptorLimitError`` where fewer than `needed` are allowed.
  package static func check(_ needed: UInt64) throws(DescriptorLimitError) {
    guard let limit = ProcessLimit.falls(below: needed, RLIMIT_NOFILE) else { return }
    throw DescriptorLimitError(limit: limit, needed: needed)
  }
}

package struct DescriptorLimitError: UserFacingError, Equatable {
  let limit: UInt64
  let needed: UInt64

  package var exitStatus: ExitStatus { .outOfMemory }

  package var description: String {
    "this process may have \(limit) files open, and at least \(needed) are needed; raise the limit (ulimit -n)"
  }
}
