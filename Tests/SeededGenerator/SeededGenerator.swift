// SPDX-License-Identifier: Apache-2.0
/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers from the same seed. Seeds are spread by another factor than the one by
/// which the state goes on: else neighbouring seeds would give the same numbers, one later.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed &* 0xd134_2543_de82_ef95 }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}
