// SPDX-License-Identifier: Apache-2.0
import CMachinePeaks
import Synchronization

/// What the machine can do at most, measured once per process just before it is needed.
///
/// Every benchmark is a process of its own, so its roof is of the same second.
enum Roof {
  private static let seconds = 0.15
  private static let known = Mutex<[String: Double]>([:])

  /// 10^9 bytes per second that `threads` threads read out of `bytes` of memory.
  static func read(bytes: Int, threads: Int) -> Double {
    once("read \(bytes) \(threads)") { mp_read_bandwidth(bytes, Int32(threads), seconds) }
  }

  /// 10^9 operations per second, a multiplication and an addition counted as two.
  static func int8(threads: Int) -> Double { once("int8 \(threads)") { mp_int8_rate(Int32(threads), seconds) } }
  static func float(threads: Int) -> Double { once("float \(threads)") { mp_float_rate(Int32(threads), seconds) } }

  private static func once(_ key: String, _ measure: () -> Double) -> Double {
    known.withLock { known in
      if let value = known[key] { return value }
      let value = measure()
      known[key] = value
      return value
    }
  }
}
