// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetEngine
import Testing

/// The models of the catalog that are made from another one, on the real base.
@Suite("Shipped models")
struct ShippedModelsTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let base = environment["PET_TEST_MODEL"]

  @Test(
    "each that is made from SmolLM2 has the hash that the catalog says, and was trained for our prompts",
    .enabled(if: base != nil || environment["CI"] != nil))
  func hashes() throws {
    let base = try #require(Self.base, "PET_TEST_MODEL must name the base where CI is set")
    let folder = FileManager.default.temporaryDirectory.appending(path: "pet-shipped-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var made = 0
    for model in try Catalog.builtIn().models {
      guard case .adapted(let source) = model.source else { continue }
      let adapter = folder.appending(path: source.adapter)
      try Data(#require(BuiltInFiles.bytes(named: source.adapter))).write(to: adapter)
      let output = folder.appending(path: model.file.name)
      try ModelAdaptation.perform(
        AdaptationRequest(base: base, adapter: adapter.path, output: output.path, source: source)
      ) { _, _ in }
      try FileVerifier.verify(output.path, bytes: model.file.bytes, sha256: #require(model.file.sha256))
      let file = try GGUFFile(path: output.path)
      #expect(try file.integer(PromptFormat.metadataKey) == PromptForm.header.rawValue)
      try FileManager.default.removeItem(at: output)
      made += 1
    }
    #expect(made > 0)
  }
}
