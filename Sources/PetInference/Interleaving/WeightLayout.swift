// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// The order of the bytes of a weight matrix.
public enum WeightLayout: Sendable {
  /// Row after row, as GGUF files have them. Used where the file is mapped; nothing is copied.
  case rowMajor
  /// Groups of 16 rows with their fields side by side (`PK_INTERLEAVED`): a vector loads one field of all rows at once. The
  /// fastest to multiply with.
  case interleaved

  var kernelLayout: pk_layout { self == .interleaved ? PK_INTERLEAVED : PK_ROW_MAJOR }
}
