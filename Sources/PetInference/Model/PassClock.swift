// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Measures the time of the parts of forward passes. While stopped, a mark is one comparison; raw memory, so that a mark counts no
/// references.
struct PassClock {
  private struct State {
    var isRunning = false
    var last: UInt64 = 0
  }

  private let state: UnsafeMutablePointer<State>
  private let nanoseconds: UnsafeMutablePointer<UInt64>  // [part]

  init(_ arena: inout Arena) throws(InferenceError) {
    state = try arena.take(State.self, 1)
    state.initialize(to: State())
    nanoseconds = try arena.take(UInt64.self, PassProfile.Part.allCases.count)
  }

  static var byteCount: Int { Arena.size(State.self, 1) + Arena.size(UInt64.self, PassProfile.Part.allCases.count) }

  func start() {
    nanoseconds.update(repeating: 0, count: PassProfile.Part.allCases.count)
    state.pointee.isRunning = true
  }

  func stop() -> PassProfile {
    state.pointee.isRunning = false
    return PassProfile(nanoseconds: PassProfile.Part.allCases.map { nanoseconds[$0.rawValue] })
  }

  /// Starts a part that does not follow a mark.
  @inline(__always) func begin() {
    if state.pointee.isRunning { state.pointee.last = Self.now() }
  }

  /// Attributes the time since the last mark to `part`.
  @inline(__always) func end(_ part: PassProfile.Part) {
    guard state.pointee.isRunning else { return }
    let now = Self.now()
    nanoseconds[part.rawValue] &+= now &- state.pointee.last
    state.pointee.last = now
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
