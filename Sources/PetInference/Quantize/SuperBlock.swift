// SPDX-License-Identifier: Apache-2.0
/// 256 values as integers, before they are packed:
///
///     value(i) = scale * scaleCodes[j] * (levels[i] - bias) - minimum * minimumCodes[j],   j the sub-block of i
///
/// where the types with minimums have a bias of 0 and the others no minimum.
struct SuperBlock {
  static let count = 256

  /// [256]
  let levels: UnsafeMutableBufferPointer<UInt8>
  /// F16
  var scale: UInt16 = 0
  var minimum: UInt16 = 0
  /// One per sub-block, as many as there are.
  var scaleCodes = SIMD16<UInt8>()
  var minimumCodes = SIMD16<UInt8>()

  var isFinite: Bool { scale & 0x7fff < 0x7c00 && minimum & 0x7fff < 0x7c00 }
}
