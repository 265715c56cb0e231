// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles
import PetRuntime
import Testing

/// A model whose file lies in the repository and is part of no program.
@Suite("A separate model")
struct SeparateModelTests {
  /// SHA-256 of "abc": FIPS 180-2, B.1.
  private static let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private static let command = "pet models install Models/tiny/apart.gguf --name tiny"
  private static let text = CatalogText.with([
    "type": "\"separate\"", "file": "\"apart.gguf\"", "bytes": "3", "sha256": "\"\(hash)\"",
  ])

  private let folder: TemporaryFolder
  private let store: ModelStore
  private let model: CatalogModel

  init() throws {
    folder = try TemporaryFolder()
    store = ModelStore(folder: folder.path + "/models", catalog: try Catalog(json: Data(Self.text.utf8)))
    model = try store.model(named: "tiny")
  }

  private func install(_ path: String, links: Bool = false) throws -> CatalogModel {
    var options = ModelInstaller.Options()
    options.links = links
    // Its hash is known: nobody needs to look inside.
    let installer = ModelInstaller(store: store, inspect: FetchBench.noInspection)
    return try installer.install(path, as: "tiny", options) { _ in }
  }

  @Test("it is absent at first, and whoever wants it is told which command brings it")
  func absent() throws {
    #expect(store.state(of: model) == .absent)
    let expected = ModelStoreError.notInstalled(name: "tiny", command: Self.command)
    #expect(throws: expected) { try store.checkSeparate(model) }
    #expect(throws: expected) { try store.select("tiny") }
    #expect("\(expected)".hasSuffix("; in Pet's repository run: \(Self.command)"))
    let fetcher = ModelFetcher(
      store: store, environment: FetchBench.environment, adapt: FetchBench.noAdaptation,
      inspect: FetchBench.noInspection)
    #expect(throws: FetchError.separate(name: "tiny", command: Self.command)) { try fetcher.fetch(model) { _ in } }
  }

  @Test("its file is installed under its name, once, and used; removed it is absent again", arguments: [false, true])
  func installed(links: Bool) throws {
    let path = try folder.write("apart.gguf", "abc")
    #expect(try install(path, links: links) == model)
    #expect(try store.verify(model) == .present)
    #expect(store.location(of: model) == .file(path: folder.path + "/models/tiny/apart.gguf"))
    try store.checkSeparate(model)
    #expect(try install(path) == model)
    // Where it is here, too, the file that is given must be that one.
    #expect(throws: (any Error).self) { try install("/nowhere.gguf") }
    #expect(throws: InstallError.self) { try install(folder.write("other.gguf", "abd")) }
    #expect(Folder.names(in: store.folder).sorted() == [".lock", "tiny"])
    let installer = ModelInstaller(store: store, inspect: FetchBench.noInspection)
    #expect(try installer.remove(model, forgetsPin: false) {} == 3)
    #expect(store.state(of: model) == .absent)
  }

  @Test("another file is refused under its name, and a file that changed is not used", arguments: ["abd", "abcd"])
  func another(text: String) throws {
    let path = try folder.write("other.gguf", text)
    let error = try #require(throws: InstallError.self) { try install(path) }
    guard case .refused(path, _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(!error.description.contains(".staging") && !error.description.contains("\n"), "\(error)")
    #expect(store.state(of: model) == .absent && Folder.names(in: store.folder) == [".lock"])

    try folder.write("models/tiny/apart.gguf", text)
    #expect(throws: ModelStoreError.self) { try store.checkSeparate(model) }
    _ = try install(folder.write("apart.gguf", "abc"))
    try store.checkSeparate(model)
  }

  @Test("only the catalog of the program has separate models, and each has its hash there")
  func catalogs() throws {
    #expect(throws: CatalogError.invalid(field: "tiny.files.high.source.type", value: "separate")) {
      try Catalog(json: Data(Self.text.utf8), origin: .added(catalog: "acme"))
    }
    #expect(throws: CatalogError.invalid(field: "tiny.files.high.sha256", value: "null")) {
      try Catalog(json: Data(CatalogText.with(["type": "\"separate\"", "sha256": "null"]).utf8))
    }
  }
}
