// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Processes many items in two steps, the first of which prefetches memory for the second: it arrives while other items are
/// processed. Hash tables exceed the nearest caches, and filling one is bound by memory latency.
enum LookAhead {
  /// Items between the two steps.
  private static let distance = 16

  /// Calls `begin` for the items 0..<count in order, and `finish` for each in order with what `begin` gave for it; nil is left
  /// out.
  @inline(__always)
  static func run<Failure>(
    _ count: Int, begin: (Int) throws(Failure) -> UInt64?, finish: (Int, UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    withUnsafeTemporaryAllocation(of: UInt64?.self, capacity: distance) { pending in
      pending.initialize(repeating: nil)
      do throws(Failure) {
        for item in 0..<count + distance {
          let place = item % distance
          if let value = pending[place] { try finish(item - distance, value) }
          pending[place] = item < count ? try begin(item) : nil
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}

extension UnsafeMutableBufferPointer {
  @inline(__always)
  func prefetch(_ index: Int) { pk_prefetch(baseAddress.map { $0 + index }) }
}
