// SPDX-License-Identifier: Apache-2.0
/// One element of eight blocks, or of eight sub-blocks of a super-block: lane j belongs to block j.
///
/// One operation works on all eight, no sum crosses lanes, and each lane adds in the order of its elements: so a search for
/// scales is as fast as the vectors are wide, and finds the same bits on every machine.
typealias BlockLanes = SIMD8<Float>

extension BlockLanes {
  /// What added to a float of magnitude below 2^22 leaves its nearest integer, ties to even, in the low bits.
  private static let shift: Float = 0x1.8p23

  /// Nearest integers, ties to even, for magnitudes below 2^22; what is larger stays far outside of every grid.
  @inline(__always)
  var nearest: Self { (self + Self.shift) - Self.shift }

  /// The largest integers that are not above, for magnitudes below 2^22.
  @inline(__always)
  var floor: Self {
    let nearest = nearest
    return nearest.replacing(with: nearest - 1, where: nearest .> self)
  }

  @inline(__always)
  var magnitudes: Self { replacing(with: -self, where: self .< 0) }

  @inline(__always)
  func limited(from bottom: Float = 0, to top: Float) -> Self {
    replacing(with: top, where: self .> top).replacing(with: bottom, where: self .< bottom)
  }

  /// 1 / lane, and 0 where the lane is 0.
  @inline(__always)
  var inverses: Self { Self().replacing(with: 1 / self, where: self .!= 0) }

  /// The low 8 bits of lanes that are integers of magnitude below 2^22; negative ones in two's complement.
  @inline(__always)
  var lowBytes: SIMD8<UInt8> {
    SIMD8<UInt8>(truncatingIfNeeded: unsafeBitCast(self + Self.shift, to: SIMD8<UInt32>.self))
  }
}
