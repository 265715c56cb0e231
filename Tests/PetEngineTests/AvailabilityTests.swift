// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import Testing

@Suite("Whether the language model that a configuration means can be asked")
struct AvailabilityTests {
  private func configuration(_ flags: [(SettingKey, String)]) throws -> Configuration {
    try Configuration(.init(flags: flags.map { .init($0.0, $0.1, name: "--set") }))
  }

  @Test("built in, not pulled, not there, not a model, too large: each is told apart")
  func reasons() throws {
    let store = ModelStore(folder: "/nonexistent", catalog: try Catalog.builtIn())
    func reason(_ flags: (SettingKey, String)..., room: UInt64? = nil) throws -> ModelAvailability.Reason? {
      guard case .unavailable(let reason) = store.availability(try configuration(flags), room: room) else { return nil }
      return reason
    }
    // Without a name, what is built in stands in for what was not pulled.
    #expect(try reason() == nil)
    #expect(try reason((.model, "pet-nano")) == nil)
    #expect(try reason((.model, "smollm2-135m-instruct")) == .notInstalled(name: "smollm2-135m-instruct"))
    for name in ["no-such-model", "/no/such/model.gguf"] {
      guard case .notFound(let why) = try reason((.model, name)) else {
        Issue.record("\(name) is available")
        continue
      }
      #expect(why.contains(name))
    }
    guard case .refused(let why) = try reason((.model, #filePath)) else {
      Issue.record("a Swift file is a model")
      return
    }
    #expect(why.contains(#filePath))
    guard
      case .notEnoughMemory(let needed, 1_000_000, 1_000_000) = try reason(
        (.model, "pet-nano"), (.memoryBudget, "1 MB"))
    else {
      Issue.record("a model of 11 MB fits into 1 MB")
      return
    }
    #expect(needed > 8_000_000)
    #expect(
      try reason((.model, "pet-nano"), room: 2_000_000)
        == .notEnoughMemory(needed: needed, available: 2_000_000, budget: 500_000_000))
  }
}
