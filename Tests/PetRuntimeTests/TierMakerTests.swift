// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles
import PetRuntime
import Testing

@Suite("Tiers that a machine makes")
struct TierMakerTests {
  private let folder: TemporaryFolder
  private let folders: PetFolders

  init() throws {
    folder = try TemporaryFolder()
    folders = try PetFolders(environment: ["PET_HOME": folder.path])
    try install("0123456789")
  }

  private func library() throws -> ModelLibrary {
    try ModelLibrary(folders: folders, builtIn: Catalog(json: Data(CatalogText.with([:]).utf8)), now: Date())
  }

  private func model(_ name: String) throws -> CatalogModel { try library().store.model(named: name) }

  private func install(_ text: String) throws {
    var options = ModelInstaller.Options()
    options.replaces = true
    let installer = try ModelInstaller(store: library().store) { _ in
      InspectedModel(kind: .language, architecture: "llama", parameters: 7, context: 64, title: nil, memory: 50_000_000)
    }
    _ = try installer.install(folder.write("own.gguf", text), as: "mine", options) { _ in }
  }

  private struct NoSuchType: Error {}

  /// "half" keeps the first half of a file, "whole" all of it; there is no other type.
  private func make(_ quality: ModelQuality, of name: String = "mine", as type: String = "half") throws {
    let maker = try TierMaker(store: library().store) { input, output, type, progress in
      let bytes = try Data(contentsOf: URL(filePath: input))
      guard ["half", "whole"].contains(type) else { throw NoSuchType() }
      progress(1, 2)
      try bytes.prefix(type == "half" ? bytes.count / 2 : bytes.count).write(to: URL(filePath: output))
    }
    try maker.make(quality, of: model(name), as: type) { _ in }
  }

  @Test("a tier is a model like any other: named, hashed, chosen, measured, removed")
  func made() throws {
    try make(.low)
    let tier = try model("mine-low")
    let store = try library().store
    #expect(tier.family == "mine" && tier.quality == .low && tier.origin == .local && tier.file.bytes == 5)
    #expect(store.catalog.tiers(of: tier).mapValues(\.name) == [.high: "mine", .low: "mine-low"])
    #expect(store.catalog.models.map(\.name) == ["tiny", "mine", "mine-low"])
    #expect(try store.verify(tier) == .present)
    guard case .made(let source) = tier.source else {
      Issue.record("source is \(tier.source)")
      return
    }
    let base = try model("mine")
    #expect(source.base == base.name && source.type == "half" && source.baseSHA256 == base.file.sha256)

    let found = ModelMeasurement(
      sha256: try #require(tier.file.sha256), perplexity: 7.5, bitsPerByte: 1.25, context: 512,
      textSHA256: SHA256Hash(of: []))
    let maker = TierMaker(store: store) { _, _, _, _ in }
    try maker.record(found, of: tier) {}
    #expect(try model("mine-low").measurement == found)
    #expect(try model("mine").measurement == nil)

    // Made again of the same in another type, then of other bytes: what was measured is of neither.
    try install("abcdefghijkl")
    #expect(throws: ModelStoreError.self) { try model("mine-low") }
    #expect(Folder.names(in: folders.models).contains("mine-low") == false)
    try make(.low)
    let again = try model("mine-low")
    #expect(again.file.bytes == 6 && again.measurement == nil)
    try make(.medium)
    try make(.medium)
    #expect(Folder.names(in: folders.models + "/mine-medium").count == 1)

    let installer = try ModelInstaller(store: library().store) { _ in throw NoSuchType() }
    #expect(try installer.remove(model("mine-low"), forgetsPin: false) {} == 6)
    #expect(try library().store.catalog.models.map(\.name) == ["tiny", "mine", "mine-medium"])
    #expect(try installer.remove(model("mine"), forgetsPin: false) {} == 18)
    #expect(try library().store.catalog.models.map(\.name) == ["tiny"])
    #expect(Folder.names(in: folders.models) == [".local.json", ".lock"])
  }

  @Test("a tier's name is its own: no model is installed under it, and removing the tiers leaves others alone")
  func names() throws {
    try make(.low)
    let installer = try ModelInstaller(store: library().store) { _ in
      InspectedModel(kind: .language, architecture: "llama", parameters: 7, context: 64, title: nil, memory: 1)
    }
    let file = try folder.write("other.gguf", "other bytes")
    var options = ModelInstaller.Options()
    options.replaces = true
    #expect(throws: InstallError.tier("mine-low", of: "mine")) {
      try installer.install(file, as: "mine-low", options) { _ in }
    }
    #expect(try library().store.verify(model("mine-low")) == .present)
    _ = try installer.install(file, as: "mine-medium") { _ in }
    #expect(throws: TierError.nameTaken("mine-medium")) { try make(.medium) }
    _ = try installer.remove(model("mine"), forgetsPin: false) {}
    #expect(try library().store.verify(model("mine-medium")) == .present)
    #expect(Folder.names(in: folders.models) == [".local.json", ".lock", "mine-medium"])

    let long = String(repeating: "a", count: 60)
    _ = try installer.install(file, as: long) { _ in }
    #expect(throws: TierError.nameTooLong("\(long)-medium")) { try make(.medium, of: long) }
    #expect(try library().refusals.isEmpty)
  }

  @Test("what is refused leaves everything as it was")
  func refused() throws {
    let before = try Data(contentsOf: URL(filePath: folders.models + "/.local.json"))
    func expect(_ error: TierError, _ body: () throws -> Void) {
      #expect(throws: error) { try body() }
      #expect(!error.description.contains("\n"))
    }
    expect(.notBelow(model: "mine", .high)) { try make(.high) }
    expect(.notSound(model: "tiny")) { try make(.low, of: "tiny") }
    expect(.notMade(model: "mine", type: "odd", reason: "NoSuchType()")) { try make(.low, as: "odd") }
    expect(.notSmaller(model: "mine", type: "whole", bytes: 10, than: 10)) { try make(.low, as: "whole") }
    let path = try library().store.path(of: model("mine"))
    try Data("0123456780".utf8).write(to: URL(filePath: path))
    expect(.notSound(model: "mine")) { try make(.low) }
    #expect(try Data(contentsOf: URL(filePath: folders.models + "/.local.json")) == before)
    #expect(Set(Folder.names(in: folders.models)) == [".local.json", ".lock", "mine"])
  }

  @Test("where it cannot be written down no tier is made, and none goes with its model")
  func unwritable() throws {
    try make(.low)
    try folder.write("models/..local.json.new/x", "")
    #expect(throws: InstallError.self) { try make(.medium) }
    #expect(!folder.exists("models/mine-medium"))
    let installer = try ModelInstaller(store: library().store) { _ in throw NoSuchType() }
    #expect(throws: InstallError.self) { try installer.remove(model("mine"), forgetsPin: false) {} }
    for name in ["mine", "mine-low"] { #expect(try library().store.verify(model(name)) == .present, "\(name)") }
  }

  @Test(
    "a made tier that names a path, is no made one, or has parts, hides all own models and is told",
    arguments: [
      ("mine-low-", "../mine-low-"), (#""type" : "made""#, #""type" : "built_in""#),
      (#""known_as" : "mine-low""#, #""known_as" : "../x""#),
      (
        #""known_as" : "mine-low""#,
        #""known_as" : "mine-low", "parts" : [{"name" : "x", "bytes" : \#(UInt64.max), "sha256" : null}]"#
      ),
    ])
  func hostile(_ old: String, _ new: String) throws {
    try make(.low)
    let path = folders.models + "/.local.json"
    let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    #expect(text.contains(old))
    try Data(text.replacing(old, with: new).utf8).write(to: URL(filePath: path))
    let library = try library()
    #expect(library.refusals.count == 1 && library.store.catalog.models.map(\.name) == ["tiny"])
  }
}
