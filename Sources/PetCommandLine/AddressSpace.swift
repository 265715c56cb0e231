import Glibc

/// The limit on what this process may map (`ulimit -v`).
package enum AddressSpace {
  /// The smallest model answers in 250 MB of addresses; far below, Swift itself ends the process without a word.
  static let neededBytes: UInt64 = 200 << 20

  /// - Throws: ``AddressSpaceError`` where the limit leaves no room for any model.
  package static func check() throws(AddressSpaceError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < neededBytes else { return }
    throw AddressSpaceError(limit: UInt64(limit.rlim_cur), needed: neededBytes)
  }
}

package struct AddressSpaceError: UserFacingError, Equatable {
  let limit: UInt64
  let needed: UInt64

  package var exitStatus: ExitStatus { .outOfMemory }

  package var description: String {
    "not enough memory: this process may map \(limit >> 10) KiB, and at least \(needed >> 10) KiB are needed; raise the limit (ulimit -v)"
  }
}
