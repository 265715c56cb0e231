// SPDX-License-Identifier: Apache-2.0
/// xoshiro256** (Blackman and Vigna 2018, https://arxiv.org/abs/1805.01407), seeded through SplitMix64: the same seed
/// gives the same numbers on every machine.
package struct RandomSource: RandomNumberGenerator, Sendable {
  private var s0: UInt64, s1: UInt64, s2: UInt64, s3: UInt64

  package init(seed: UInt64) {
    var state = seed
    (s0, s1, s2, s3) = (Self.mixed(&state), Self.mixed(&state), Self.mixed(&state), Self.mixed(&state))
  }

  /// The seed of one of several sequences: the first has `seed` itself, the others one that no near seed leads to.
  /// - Parameter index: from 0 on.
  package static func seed(_ seed: UInt64, of index: Int) -> UInt64 {
    guard index > 0 else { return seed }
    var state = seed
    state = mixed(&state) ^ UInt64(index)
    return mixed(&state)
  }

  /// The next number of SplitMix64.
  private static func mixed(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  package mutating func next() -> UInt64 {
    let product = s1 &* 5
    let result = (product << 7 | product >> 57) &* 9
    let shifted = s1 << 17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = s3 << 45 | s3 >> 19
    return result
  }

  /// A number from 0 up to, not including, 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
