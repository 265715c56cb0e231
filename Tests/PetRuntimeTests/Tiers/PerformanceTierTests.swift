// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("The tier of a device")
struct PerformanceTierTests {
  /// The seed's table: the generation in the identifier, and medium for all it does not name.
  @Test(
    arguments: [
      ("iPhone12,1", .low), ("iPhone12,8", .low), ("iPhone13,2", .medium), ("iPhone13,4", .medium),
      ("iPhone14,5", .high), ("iPhone14,6", .high), ("iPhone15,2", .high), ("iPhone16,1", .high), ("iPhone17,3", .high),
      ("iPhone14", .high), ("iPhone11,2", .medium), ("iPhone8,1", .medium), ("iPhone1,1", .medium),
      ("iPad13,1", .medium), ("Watch7,5", .medium), ("x86_64", .medium), ("", .medium), ("iPhone", .medium),
      ("iPhone,14", .medium), ("iphone14,5", .medium), ("iPhone-14,5", .medium), ("iPhone+14,5", .medium),
      ("iPhone99999999999999999999,1", .medium), ("iPhone１４,5", .medium), ("MyiPhone14,5", .medium),
    ] as [(String, PerformanceTier)])
  func apple(identifier: String, tier: PerformanceTier) {
    #expect(PerformanceTier(appleIdentifier: identifier) == tier)
  }

  @Test(
    arguments: [
      (8, 8, true, .high), (24, 2, true, .high), (3.8, 4, true, .high), (2.9, 8, true, .medium), (1.9, 8, true, .low),
      (8, 1, true, .medium), (8, 0.5, true, .low), (8, 8, false, .medium), (8, 2, false, .low), (0, 8, true, .medium),
      (0, 0.5, true, .low),
    ] as [(Double, Double, Bool, PerformanceTier)])
  func hardware(gigabytes: Double, processors: Double, hasInt8: Bool, tier: PerformanceTier) {
    let memory = UInt64(gigabytes * 1e9)
    let int8 = Int8Hardware(instructions: hasInt8 ? ["AVX-VNNI"] : [])
    #expect(PerformanceTier(memory: memory, processors: processors, int8: int8) == tier)
  }

  @Test("more of anything is never worse")
  func monotone() {
    let memories: [UInt64] = [1, 2_499_999_999, 2_500_000_000, 3_499_999_999, 3_500_000_000, .max]
    let counts = [0, 0.5, 0.99, 1, 1.5, 2, 3.9, 4, 64]
    for (less, more) in zip(memories, memories.dropFirst()) {
      for (fewer, further) in zip(counts, counts.dropFirst()) {
        let kinds = [(false, false), (false, true), (true, true)].map {
          Int8Hardware(instructions: $0 ? ["AVX-VNNI"] : [], isWide: $1)
        }
        for (int8, better) in zip(kinds, kinds.dropFirst()) + [(kinds[2], kinds[2])] {
          let tier = PerformanceTier(memory: less, processors: fewer, int8: int8)
          #expect(PerformanceTier(memory: more, processors: fewer, int8: int8) >= tier)
          #expect(PerformanceTier(memory: less, processors: further, int8: int8) >= tier)
          #expect(PerformanceTier(memory: less, processors: fewer, int8: better) >= tier)
        }
      }
    }
  }
}
