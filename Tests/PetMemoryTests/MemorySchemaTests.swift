// SPDX-License-Identifier: Apache-2.0
import PetMemory
import Testing

@Suite("Whose file it is")
struct MemorySchemaTests {
  private static let mine = MemorySchema.application

  @Test("by the numbers in its header")
  func standing() {
    let version = Int64(MemorySchema.version)
    #expect(MemorySchema.standing(application: Self.mine, version: version, tables: 3) == .mine(since: Int(version)))
    #expect(MemorySchema.standing(application: Self.mine, version: 1, tables: 3) == .mine(since: 1))
    #expect(MemorySchema.standing(application: 0, version: 0, tables: 0) == .mine(since: 0))
    for later in [version + 1, .max] {
      #expect(MemorySchema.standing(application: Self.mine, version: later, tables: 3) == .newer)
    }
    for (application, version, tables) in [
      (Int64(0), Int64(0), Int64(1)), (0, 1, 0), (1, 1, 3), (Self.mine, 0, 0), (Self.mine, -1, 3), (.min, .min, .min),
    ] {
      #expect(MemorySchema.standing(application: application, version: version, tables: tables) == .foreign)
    }
  }
}
