// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// Type tags of metadata values, numbered as in the GGUF format.
public enum GGUFValueType: UInt32, Sendable {
  case uint8 = 0
  case int8, uint16, int16, uint32, int32, float32, bool, string, array, uint64, int64, float64
}

/// A metadata value of a GGUF file.
///
/// Strings are raw bytes: the format requires UTF-8, but vocabularies hold pieces that are not. Arrays stay in the mapped file.
public enum GGUFValue: Sendable, Equatable {
  case uint8(UInt8)
  case int8(Int8)
  case uint16(UInt16)
  case int16(Int16)
  case uint32(UInt32)
  case int32(Int32)
  case uint64(UInt64)
  case int64(Int64)
  case float32(Float)
  case float64(Double)
  case bool(Bool)
  case string([UInt8])
  /// Fixed-size elements, little-endian, in the file's encoding.
  case array(GGUFValueType, count: Int, bytes: ByteRegion)
  case strings(GGUFStrings)
}
