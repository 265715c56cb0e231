// SPDX-License-Identifier: Apache-2.0
import PetMemory
import Testing

@Suite("Rules of memory")
struct FactRulesTests {
  @Test("decode")
  func decode() { _ = FactRules.standard }
}
