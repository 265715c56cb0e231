// SPDX-License-Identifier: Apache-2.0
/// The logarithmic samples of telephony (ITU-T G.711), as 16-bit ones.
package enum Companding {
  /// 14 bits in sign, exponent and mantissa, all inverted.
  package static func muLaw(_ code: UInt8) -> Int16 {
    let bits = ~code
    let magnitude = ((Int16(bits & 0x0F) << 3 + 132) << Int16(bits >> 4 & 7)) - 132
    return bits & 0x80 == 0 ? magnitude : -magnitude
  }

  /// 13 bits in sign, exponent and mantissa, every other one inverted.
  package static func aLaw(_ code: UInt8) -> Int16 {
    let bits = code ^ 0x55
    let exponent = Int16(bits >> 4 & 7)
    let mantissa = Int16(bits & 0x0F) << 4 + 8
    let magnitude = exponent == 0 ? mantissa : (mantissa + 256) << (exponent - 1)
    return bits & 0x80 == 0 ? -magnitude : magnitude
  }
}
