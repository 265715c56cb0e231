// SPDX-License-Identifier: Apache-2.0
/// The inner product of `count` values, eight at a time.
package func innerProduct(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, count: Int) -> Float {
  let leftBytes = UnsafeRawPointer(left)
  let rightBytes = UnsafeRawPointer(right)
  var first = SIMD8<Float>.zero
  var second = SIMD8<Float>.zero
  var index = 0
  while index + 16 <= count {
    let offset = index * 4
    first +=
      leftBytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
      * rightBytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
    second +=
      leftBytes.loadUnaligned(fromByteOffset: offset + 32, as: SIMD8<Float>.self)
      * rightBytes.loadUnaligned(fromByteOffset: offset + 32, as: SIMD8<Float>.self)
    index += 16
  }
  var sum = (first + second).sum()
  while index < count {
    sum += left[index] * right[index]
    index += 1
  }
  return sum
}
