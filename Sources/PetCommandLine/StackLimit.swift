// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The limit on the stack of this process, and of each thread that asks for no other (`ulimit -s`).
package enum StackLimit {
  /// A turn of a conversation takes more than 64 KiB and less than 128.
  private static let neededBytes: UInt64 = 256 << 10

  /// - Throws: ``StackLimitError`` where the kernel would end the process without a word.
  package static func check() throws(StackLimitError) {
    guard let limit = ProcessLimit.falls(below: neededBytes, RLIMIT_STACK) else { return }
    throw StackLimitError(limit: limit, needed: neededBytes)
  }
}

package struct StackLimitError: UserFacingError, Equatable {
  let limit: UInt64
  let needed: UInt64

  package var exitStatus: ExitStatus { .outOfMemory }

  package var description: String {
    "not enough memory: the stack may have \(limit >> 10) KiB, and at least \(needed >> 10) KiB are needed; raise the limit (ulimit -s)"
  }
}
