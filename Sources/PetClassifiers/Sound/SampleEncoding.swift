// SPDX-License-Identifier: Apache-2.0
/// How one sample is written. Little-endian, as in WAV.
public enum SampleEncoding: String, Sendable, CaseIterable {
  case unsigned8, signed16, signed24, signed32, float32, float64, muLaw, aLaw

  /// Bytes of one sample.
  package var size: Int {
    switch self {
    case .unsigned8, .muLaw, .aLaw: 1
    case .signed16: 2
    case .signed24: 3
    case .signed32, .float32: 4
    case .float64: 8
    }
  }

  /// The sample at byte `offset`, full scale at -1 and 1. Floating point is given as found, whatever it is.
  /// - Precondition: `offset + size` is within `bytes`; a span traps otherwise.
  package func sample(in bytes: RawSpan, at offset: Int) -> Float {
    func byte(_ index: Int) -> UInt32 { UInt32(bytes.unsafeLoad(fromByteOffset: offset + index, as: UInt8.self)) }
    func word() -> UInt32 { byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24 }
    switch self {
    case .unsigned8: return (Float(byte(0)) - 128) / 128
    case .signed16: return Float(Int16(truncatingIfNeeded: byte(0) | byte(1) << 8)) / 32_768
    case .signed24: return Float(Int32(bitPattern: byte(0) << 8 | byte(1) << 16 | byte(2) << 24)) / 2_147_483_648
    case .signed32: return Float(Int32(bitPattern: word())) / 2_147_483_648
    case .float32: return Float(bitPattern: word())
    case .float64:
      let high = byte(4) | byte(5) << 8 | byte(6) << 16 | byte(7) << 24
      return Float(Double(bitPattern: UInt64(word()) | UInt64(high) << 32))
    case .muLaw: return Float(Companding.muLaw(UInt8(byte(0)))) / 32_768
    case .aLaw: return Float(Companding.aLaw(UInt8(byte(0)))) / 32_768
    }
  }
}
