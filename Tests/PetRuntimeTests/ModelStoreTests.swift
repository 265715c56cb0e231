// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles
import PetRuntime
import Testing

@Suite("Where models live")
struct PetFoldersTests {
  @Test(
    "PET_HOME, then XDG_DATA_HOME, then HOME",
    arguments: [
      (["PET_HOME": "/p", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/p/models"),
      (["PET_HOME": "/p/", "HOME": "/h"], "/p/models"),
      (["PET_HOME": "", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/pet/models"),
      (["XDG_DATA_HOME": "relative", "HOME": "/h"], "/h/.local/share/pet/models"),
      (["HOME": "/h"], "/h/.local/share/pet/models"),
    ])
  func choice(environment: [String: String], expected: String) throws {
    #expect(try PetFolders(environment: environment).models == expected)
  }

  @Test("nowhere is an error, and so is a relative PET_HOME")
  func nowhere() {
    #expect(throws: ModelStoreError.noHome) { try PetFolders(environment: [:]) }
    #expect(throws: ModelStoreError.relativeHome("here")) { try PetFolders(environment: ["PET_HOME": "here"]) }
  }
}

@Suite("ModelStore")
struct ModelStoreTests {
  private let folder: TemporaryFolder
  private let store: ModelStore
  private let model: CatalogModel

  init() throws {
    folder = try TemporaryFolder()
    // SHA-256 of "abc": FIPS 180-4, appendix B.1.
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    let catalog = try Catalog(json: Data(CatalogText.with(["bytes": "3", "sha256": "\"\(hash)\""]).utf8))
    store = ModelStore(folder: folder.path, catalog: catalog)
    model = try #require(catalog.defaultModel())
  }

  @Test("states: absent, present, damaged by size, damaged by content")
  func states() throws {
    #expect(store.state(of: model) == .absent)
    #expect(throws: ModelStoreError.notPulled(name: "tiny")) { try store.select("tiny") }

    let path = try folder.write("tiny/tiny.gguf", "abc")
    #expect(store.state(of: model) == .present)
    #expect(try store.verify(model) == .present)
    #expect(try store.select("tiny").location == .file(path: path))
    #expect(try store.select(nil).location == .file(path: path))

    try folder.write("tiny/tiny.gguf", "abcd")
    let size = VerificationError.size(path: path, expected: 3, actual: 4)
    #expect(store.state(of: model) == .damaged(size))
    #expect(throws: ModelStoreError.damaged(name: "tiny", size)) { try store.select("tiny") }

    try folder.write("tiny/tiny.gguf", "abd")
    #expect(store.state(of: model) == .present)
    guard case .damaged(.hash) = try store.verify(model) else {
      Issue.record("a changed byte was not found")
      return
    }
  }

  @Test("a path is a path: with a slash, or ending in .gguf")
  func paths() throws {
    let path = try folder.write("mine.gguf", "x")
    #expect(try store.select(path).location == .file(path: path))
    #expect(throws: ModelStoreError.noSuchFile(path: "/nowhere/x.gguf")) { try store.select("/nowhere/x.gguf") }
    #expect(throws: ModelStoreError.noSuchFile(path: "absent.GGUF")) { try store.select("absent.GGUF") }
    #expect(throws: ModelStoreError.notAFile(path: folder.path)) { try store.select(folder.path) }
  }

  @Test("an unknown name lists the known ones; a name that is none is refused")
  func names() {
    #expect(throws: ModelStoreError.unknown(name: "huge", known: ["tiny"])) { try store.select("huge") }
    for name in ["..", ".", "", "TINY", "tiny\n", "tiny ", "-tiny", String(repeating: "a", count: 65)] {
      #expect(throws: ModelStoreError.invalidName(name)) { try store.select(name) }
    }
  }

  @Test("a folder or a pipe in the place of a model is damage, not a hang")
  func oddFiles() throws {
    try Folder.create("\(folder.path)/tiny")
    try #require(mkfifo("\(folder.path)/tiny/tiny.gguf", 0o600) == 0)
    guard case .damaged(.file) = store.state(of: model) else {
      Issue.record("a pipe passed for a model")
      return
    }
  }
}
