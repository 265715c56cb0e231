// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetRuntime
import Testing

/// A model that other builds contain and this one does not: parent-stress, without the package's trait of that name.
@Suite("A model that the build leaves out")
struct LeftOutModelTests {
  /// SHA-256 of "abc": FIPS 180-2, B.1.
  private static let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  private let folder: TemporaryFolder
  private let store: ModelStore
  private let model: CatalogModel

  init() throws {
    folder = try TemporaryFolder()
    let text = CatalogText.with([
      "type": "\"built_in\"", "file": "\"left-out.gguf\"", "bytes": "3", "sha256": "\"\(Self.hash)\"",
    ])
    store = ModelStore(folder: folder.path, catalog: try Catalog(json: Data(text.utf8)))
    model = try store.model(named: "tiny")
  }

  @Test("it is absent, and whoever wants it is told how to get it")
  func absent() throws {
    #expect(store.state(of: model) == .absent)
    #expect(throws: ModelStoreError.notBuiltIn(name: "left-out.gguf")) { try store.checkWhereLeftOut(model) }
    #expect("\(ModelStoreError.notBuiltIn(name: "x"))".contains("make it as Models/classifiers/README.md says"))
  }

  @Test("one that was made here is used, if its bytes are those that the catalog knows")
  func made() throws {
    try folder.write("tiny/left-out.gguf", "abc")
    #expect(store.location(of: model) == .file(path: folder.path + "/tiny/left-out.gguf"))
    #expect(try store.verify(model) == .present)
    try store.checkWhereLeftOut(model)

    try folder.write("tiny/left-out.gguf", "abd")
    guard case .damaged(.hash) = try store.verify(model) else {
      Issue.record("other bytes were accepted")
      return
    }
    #expect(throws: ModelStoreError.self) { try store.checkWhereLeftOut(model) }
  }

  @Test("one that the program contains is not looked for in the folder")
  func contained() throws {
    let shipped = ModelStore(folder: folder.path, catalog: try Catalog.builtIn())
    let stress = try shipped.model(named: "parent-stress")
    try folder.write("parent-stress/parent-stress.gguf", "abc")
    #expect(shipped.location(of: stress) == .builtIn(name: "parent-stress.gguf"))
    #expect(try shipped.verify(stress) == .present)
    try shipped.checkWhereLeftOut(stress)
  }
}
