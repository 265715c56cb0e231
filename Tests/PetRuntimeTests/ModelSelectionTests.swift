// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles
import PetRuntime
import Testing

@Suite("Which model answers")
struct ModelSelectionTests {
  private let folder: TemporaryFolder
  private let store: ModelStore
  private static let builtIn = "pet-v4.lora.gguf"

  /// A default that is fetched, and a built-in file in the place of another model.
  init() throws {
    folder = try TemporaryFolder()
    let bytes = try #require(BuiltInFiles.bytes(named: Self.builtIn))
    let copy = folder.path + "/copy"
    try OpenFile.create(copy, bytes)
    let inside = """
      {"name": "inside", "kind": "language", "architecture": "llama", "parameters": 1, "description": "a test",
       "licence": "CC0-1.0", "context": 16, "requirements": \(CatalogText.requirements),
       "files": {"low": {"name": "\(Self.builtIn)", "bytes": \(bytes.count), "source": {"type": "built_in"},
         "sha256": "\(try FileVerifier.hash(of: copy))"}}}
      """
    let text = #"{"version": 2, "models": [\#(CatalogText.model([:])), \#(inside)]}"#
    store = ModelStore(folder: folder.path, catalog: try Catalog(json: Data(text.utf8)))
  }

  @Test("where the default is not here, the built-in one stands in and the reason is told")
  func standIn() throws {
    let model = try #require(store.catalog.defaultModel())
    let selection = try store.select(nil)
    #expect(selection.location == .builtIn(name: Self.builtIn))
    #expect(selection.standsIn == .notPulled(name: model.name))

    try folder.write("\(model.name)/\(model.file.name)", "half of it")
    guard case .damaged(model.name, .size) = try #require(try store.select(nil).standsIn) else {
      Issue.record("damage was not told")
      return
    }
  }

  @Test("a model that was named is not replaced by another")
  func named() throws {
    let model = try #require(store.catalog.defaultModel())
    #expect(throws: ModelStoreError.notPulled(name: model.name)) { try store.select(model.name) }
  }

  @Test("a built-in model is verified like any other, by size and SHA-256")
  func builtIn() throws {
    let model = try store.model(named: "inside")
    #expect(try store.verify(model) == .present)
    #expect(try store.select("inside") == ModelSelection(location: .builtIn(name: Self.builtIn), standsIn: nil))

    let wrong = try ModelStore(
      folder: folder.path,
      catalog: Catalog(
        json: Data(
          CatalogText.with([
            "type": "\"built_in\"", "file": "\"\(Self.builtIn)\"", "bytes": "\(model.file.bytes)",
          ]).utf8)))
    guard case .damaged(.hash) = try wrong.verify(wrong.model(named: "tiny")) else {
      Issue.record("another hash was accepted")
      return
    }
  }

  @Test("there is nothing under other names")
  func unknown() {
    for name in ["", "pet", "../\(Self.builtIn)"] { #expect(BuiltInFiles.bytes(named: name) == nil) }
  }

  /// Tiers of one model, which are here but for what is said; sizes are made up.
  private func tiers(absent: Set<ModelQuality> = [], tooLarge: Set<ModelQuality> = []) -> [ModelSelection.Tier] {
    ModelQuality.allCases.map {
      ModelSelection.Tier(
        quality: $0, name: $0.rawValue, location: .file(path: $0.rawValue),
        state: absent.contains($0) ? .absent : .present,
        decision: tooLarge.contains($0) ? .no([.memory(needed: 2, usable: 1)]) : .yes)
    }
  }

  @Test("of the default the best tier that is here and fits answers, and the reason is told where it is not the best")
  func bestThatFits() throws {
    func decide(_ tiers: [ModelSelection.Tier], _ wanted: ModelQuality? = nil) throws -> ModelSelection {
      try .decide(tiers, wanted: wanted, builtIn: .builtIn(name: "b"))
    }
    func files(_ names: String...) -> [ModelLocation] { names.map { .file(path: $0) } }
    let all = try decide(tiers())
    #expect(all.location == .file(path: "high") && all.standsIn == nil && all.smaller == files("medium", "low"))
    let wanted = try decide(tiers(), .medium)
    #expect(wanted.location == .file(path: "medium") && wanted.standsIn == nil && wanted.smaller == files("low"))
    let absent = try decide(tiers(absent: [.high]))
    #expect(absent.location == .file(path: "medium") && absent.standsIn == .notPulled(name: "high"))
    let large = try decide(tiers(tooLarge: [.high, .medium]))
    #expect(large.location == .file(path: "low") && large.smaller.isEmpty)
    #expect(large.standsIn == .cannotRun(name: "high", [.memory(needed: 2, usable: 1)]))
    let reason = RunDecision.Reason.budget(needed: 3, budget: 2)
    let next = try #require(all.steppingDown(from: "high", because: reason))
    #expect(next.location == .file(path: "medium") && next.smaller == files("low"))
    #expect(
      next.standsIn == .cannotRun(name: "high", [reason]) && large.steppingDown(from: "low", because: reason) == nil)
    let none = try decide(tiers(absent: Set(ModelQuality.allCases)), .medium)
    #expect(none.location == .builtIn(name: "b") && none.standsIn == .notPulled(name: "medium"))
    #expect(try decide([tiers()[0]], .low).location == .file(path: "high"), "nothing so low: the lowest there is")
    #expect(throws: ModelStoreError.notPulled(name: "high")) {
      try ModelSelection.decide(tiers(absent: Set(ModelQuality.allCases)), wanted: nil, builtIn: nil)
    }
  }
}
