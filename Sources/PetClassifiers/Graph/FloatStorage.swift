// SPDX-License-Identifier: Apache-2.0
import CXNNPACK

/// Numbers at an address that does not change, with the bytes behind them that XNNPACK may read.
package final class FloatStorage {
  package let count: Int
  package let address: UnsafeMutablePointer<Float>

  /// `count` zeros.
  package init(count: Int) {
    self.count = count
    let spare = Int(XNN_EXTRA_BYTES) / MemoryLayout<Float>.stride
    address = .allocate(capacity: count + spare)
    address.initialize(repeating: 0, count: count + spare)
  }

  convenience init(_ values: [Float]) {
    self.init(count: values.count)
    fill(values)
  }

  deinit { address.deallocate() }

  /// `values` are as many as there is room for.
  package func fill(_ values: [Float]) {
    precondition(values.count == count)
    values.withUnsafeBufferPointer { source in
      if let base = source.baseAddress { address.update(from: base, count: count) }
    }
  }

  package var values: [Float] { Array(UnsafeBufferPointer(start: address, count: count)) }
}
