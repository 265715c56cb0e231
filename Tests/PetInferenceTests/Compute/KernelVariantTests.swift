// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Foundation
import PetInference
import Testing

@Suite struct KernelVariantTests {
  @Test func everyTableHasANameToForceItBy() {
    let tables = (0..<Int32(PK_VARIANT_COUNT)).filter { pk_kernels_for(pk_variant(rawValue: $0)) != nil }
    #expect(KernelVariant.allCases.count == PK_VARIANT_COUNT)
    #expect(KernelVariant.allCases.filter(\.isAvailable).count == tables.count)
    #expect(KernelVariant.scalar.isAvailable)
  }

  /// A run of the tests that is to show what a slower CPU does shows that.
  @Test(.enabled(if: KernelVariantTests.named != nil, "PET_KERNELS names no kernels")) func thoseOfTheEnvironmentServe()
    throws
  {
    let variant = try #require(
      Self.named.flatMap(KernelVariant.init(rawValue:)), "PET_KERNELS names none that there are")
    try #require(variant.isAvailable, "this CPU cannot run what PET_KERNELS names")
    let weights = try WeightLayoutTests.nano(.rowMajor)
    let kernels = try Transformer(weights, threadCount: 1, variant: variant).kernelName
    #expect(try Transformer(weights, threadCount: 1).kernelName == kernels)
    #expect(String(cString: pk_kernels_best().pointee.name) == kernels)
  }

  private static let named = ProcessInfo.processInfo.environment["PET_KERNELS"]

  @Test func numbersOutsideTheListHaveNoTable() {
    for raw in [-1, Int32(PK_VARIANT_COUNT), .max] {
      #expect(pk_kernels_for(pk_variant(rawValue: raw)) == nil)
    }
  }
}
