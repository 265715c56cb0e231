import CPetKernels
import PetInference
import Testing

@Suite struct KernelVariantTests {
  @Test func everyTableHasANameToForceItBy() {
    let tables = (0..<Int32(PK_VARIANT_COUNT)).filter { pk_kernels_for(pk_variant(rawValue: $0)) != nil }
    #expect(KernelVariant.allCases.count == PK_VARIANT_COUNT)
    #expect(KernelVariant.allCases.filter(\.isAvailable).count == tables.count)
    #expect(KernelVariant.scalar.isAvailable)
  }

  @Test func numbersOutsideTheListHaveNoTable() {
    for raw in [-1, Int32(PK_VARIANT_COUNT), .max] {
      #expect(pk_kernels_for(pk_variant(rawValue: raw)) == nil)
    }
  }
}
