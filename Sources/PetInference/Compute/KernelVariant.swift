// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Sets of kernels for an instruction set. Greedy output may differ between them in the last bits of a logit.
public enum KernelVariant: String, Sendable, CaseIterable {
  case scalar, avx2, avx512, neon
  case neonDotprod = "neon-dotprod"
  case neonI8mm = "neon-i8mm"

  var table: UnsafePointer<pk_kernels>? {
    switch self {
    case .scalar: pk_kernels_for(PK_SCALAR)
    case .avx2: pk_kernels_for(PK_AVX2)
    case .avx512: pk_kernels_for(PK_AVX512_VNNI)
    case .neon: pk_kernels_for(PK_NEON)
    case .neonDotprod: pk_kernels_for(PK_NEON_DOTPROD)
    case .neonI8mm: pk_kernels_for(PK_NEON_I8MM)
    }
  }

  /// Whether this CPU runs it.
  public var isAvailable: Bool { table != nil }

  /// The table of `variant`, or of the fastest one.
  static func table(_ variant: KernelVariant?) throws(InferenceError) -> UnsafePointer<pk_kernels> {
    guard let variant else {
      guard let best = pk_kernels_best() else { throw .kernelsUnavailable("any") }
      return best
    }
    guard let table = variant.table else { throw .kernelsUnavailable(variant.rawValue) }
    return table
  }
}
