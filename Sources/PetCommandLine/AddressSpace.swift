// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The limits on what this process may map (`ulimit -v`), and on its data (`ulimit -d`).
package enum AddressSpace {
  /// What the process is to do, by what it maps beside its threads.
  package enum Use: Sendable {
    /// A built-in model runs.
    case model
    /// A pet talks: its lines, its memory and its safety nets beside the model.
    case conversation
    /// A server has both, and one heap for all its threads.
    case service

    /// By trial with the built-in model on two processors, with a margin of 6 % or more; the share of each processor is reckoned.
    fileprivate var bytes: UInt64 {
      switch self {
      case .model: 104 << 20
      case .conversation: 292 << 20
      case .service: 240 << 20
      }
    }

    /// Address space that malloc(3) sets aside for each thread that works.
    fileprivate var arenaBytes: UInt64 {
      switch self {
      case .model, .conversation: 64 << 20
      case .service: 0
      }
    }
  }

  static func neededBytes(for use: Use, processors: UInt64, stackBytes: UInt64, modelBytes: UInt64 = 0) -> UInt64 {
    use.bytes + processors * use.arenaBytes + stacksBytes(processors, stackBytes) + modelBytes
  }

  /// What can be written and is no file's, stacks of threads among it. By trial, as above; a model file is mapped to be read.
  static func neededDataBytes(processors: UInt64, stackBytes: UInt64) -> UInt64 {
    24 << 20 + stacksBytes(processors, stackBytes)
  }

  /// Of each processor, one thread of the pool and one that computes; three others.
  private static func stacksBytes(_ processors: UInt64, _ stackBytes: UInt64) -> UInt64 {
    (2 * processors + UInt64(ThreadProbe.others)) * stackBytes
  }

  /// - Parameter modelBytes: bytes of a model file that is mapped; 0 for a built-in one.
  /// - Throws: ``AddressSpaceError`` where the limit leaves no room: Swift itself would end the process without a word.
  package static func check(for use: Use, modelBytes: UInt64 = 0) throws(AddressSpaceError) {
    let processors = UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    // A file's size may be anything; no limit is as large as this sum can be.
    let needed = neededBytes(
      for: use, processors: processors, stackBytes: stackBytes, modelBytes: min(modelBytes, 1 << 60))
    if let limit = ProcessLimit.falls(below: needed, RLIMIT_AS) {
      throw AddressSpaceError(limit: limit, needed: needed, isOfData: false)
    }
    let data = neededDataBytes(processors: processors, stackBytes: stackBytes)
    if let limit = ProcessLimit.falls(below: data, RLIMIT_DATA) {
      throw AddressSpaceError(limit: limit, needed: data, isOfData: true)
    }
  }

  /// Of a thread that asks for no other size.
  private static var stackBytes: UInt64 {
    var attributes = pthread_attr_t()
    var size = 0
    guard pthread_attr_init(&attributes) == 0 else { return 8 << 20 }
    defer { pthread_attr_destroy(&attributes) }
    // So large a stack never fits, and its thread is refused by itself.
    return pthread_attr_getstacksize(&attributes, &size) == 0 ? min(UInt64(size), 1 << 30) : 8 << 20
  }
}

package struct AddressSpaceError: UserFacingError, Equatable {
  let limit: UInt64
  let needed: UInt64
  /// Of what it may write to, not of all that it maps.
  let isOfData: Bool

  package var exitStatus: ExitStatus { .outOfMemory }

  package var description: String {
    "not enough memory: this process may \(isOfData ? "have data of" : "map") \(limit >> 10) KiB, and at least \(needed >> 10) KiB are needed; raise the limit (ulimit \(isOfData ? "-d" : "-v"))"
  }
}
