import Glibc

/// The limit on what this process may map (`ulimit -v`).
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

  /// Of each processor, one thread of the pool and one that computes; three others.
  static func neededBytes(for use: Use, processors: UInt64, stackBytes: UInt64, modelBytes: UInt64 = 0) -> UInt64 {
    let threads = 2 * processors + UInt64(ThreadProbe.others)
    return use.bytes + processors * use.arenaBytes + threads * stackBytes + modelBytes
  }

  /// - Parameter modelBytes: bytes of a model file that is mapped; 0 for a built-in one.
  /// - Throws: ``AddressSpaceError`` where the limit leaves no room: Swift itself would end the process without a word.
  package static func check(for use: Use, modelBytes: UInt64 = 0) throws(AddressSpaceError) {
    // A file's size may be anything; no limit is as large as this sum can be.
    let needed = neededBytes(
      for: use, processors: UInt64(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))), stackBytes: stackBytes,
      modelBytes: min(modelBytes, 1 << 60))
    guard let limit = ProcessLimit.falls(below: needed, RLIMIT_AS) else { return }
    throw AddressSpaceError(limit: limit, needed: needed)
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

  package var exitStatus: ExitStatus { .outOfMemory }

  package var description: String {
    "not enough memory: this process may map \(limit >> 10) KiB, and at least \(needed >> 10) KiB are needed; raise the limit (ulimit -v)"
  }
}
