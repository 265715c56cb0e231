// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles
import PetRuntime
import Testing

@Suite("A person's own models")
struct ModelInstallerTests {
  private struct NoModel: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path): no model" }
  }

  private let folder: TemporaryFolder
  private let folders: PetFolders

  init() throws {
    folder = try TemporaryFolder()
    folders = try PetFolders(environment: ["PET_HOME": folder.path])
  }

  /// What begins with "good" is a model.
  private static let inspect: ModelInspection = { path in
    guard try String(contentsOf: URL(filePath: path), encoding: .utf8).hasPrefix("good") else {
      throw NoModel(path: path)
    }
    return InspectedModel(
      kind: .language, architecture: "llama", parameters: 7, context: 64, title: "Tuned", memory: 5_400_000)
  }

  private func store() throws -> ModelStore {
    try ModelLibrary(folders: folders, builtIn: Catalog(json: Data(CatalogText.with([:]).utf8)), now: Date()).store
  }

  @discardableResult
  private func install(
    _ path: String, as name: String = "mine", _ options: ModelInstaller.Options = .init()
  ) throws -> CatalogModel {
    try ModelInstaller(store: store(), inspect: Self.inspect).install(path, as: name, options) { _ in }
  }

  private func refusal(_ body: () throws -> Void) throws -> InstallError {
    let error = try #require(throws: InstallError.self) { try body() }
    #expect(!error.description.contains("\n") && !Folder.names(in: folders.models).contains(".staging"), "\(error)")
    return error
  }

  @Test("an installed file is a model like any other, whatever becomes of the original", arguments: [false, true])
  func install(links: Bool) throws {
    let path = try folder.write("own.gguf", "good bytes")
    var options = ModelInstaller.Options()
    options.links = links
    let installed = try install(path, as: "mine", options)
    unlink(path)
    let store = try store()
    let model = try store.model(named: "mine")
    #expect(model == installed && model.origin == .local && model.source == .local && model.context == 64)
    #expect(model.description == "your own: Tuned" && model.requirements.minimumMemory == 6_000_000)
    #expect(try store.verify(model) == .present)
    #expect(try String(contentsOf: URL(filePath: store.path(of: model)), encoding: .utf8) == "good bytes")
    #expect(try store.select("mine").location == .file(path: store.path(of: model)))
    // It can be had nowhere else.
    Folder.remove(store.path(of: model))
    let fetcher = ModelFetcher(
      store: store, environment: FetchBench.environment, adapt: FetchBench.noAdaptation, inspect: Self.inspect)
    #expect(throws: FetchError.ownFile(name: "mine")) { try fetcher.fetch(model) { _ in } }
  }

  @Test("what is no model, no file, or has a wrong or taken name is refused, and nothing has changed")
  func refused() throws {
    let good = try folder.write("good.gguf", "good")
    let bad = try folder.write("bad.gguf", "bad")
    #expect(try refusal { try install(bad) } == .refused(path: bad, reason: "no model"))
    #expect(try refusal { try install(good, as: "tiny") } == .taken("tiny", by: .builtIn))
    for name in ["", "..", "../up", "a/b", "UP", "-x", ".local.json", String(repeating: "a", count: 65)] {
      #expect(try refusal { try install(good, as: name) } == .invalidName(name))
    }
    for (path, code) in [(folder.path, EISDIR), ("/nowhere.gguf", ENOENT), ("/dev/zero", EINVAL)] {
      guard case .file(let error) = try refusal({ try install(path) }), error.code == code else {
        Issue.record("\(path) was not refused")
        return
      }
    }
    #expect(try store().catalog.models.map(\.name) == ["tiny"])
    try install(good)
    #expect(try refusal { try install(good) } == .taken("mine", by: .local))
  }

  @Test("a newer version takes the older one's place, and a bad one does not")
  func replace() throws {
    var options = ModelInstaller.Options()
    options.replaces = true
    try install(folder.write("1.gguf", "good 1"))
    let bad = try folder.write("bad.gguf", "bad")
    #expect(throws: InstallError.self) { try install(bad, as: "mine", options) }
    #expect(try store().verify(store().model(named: "mine")) == .present)
    let second = try install(folder.write("2.gguf", "good 2"), as: "mine", options)
    #expect(try store().verify(store().model(named: "mine")) == .present)
    #expect(Folder.names(in: folders.models + "/mine") == [second.file.name])
  }

  @Test("an install that is cut short after any step leaves the older version or the newer, and no half")
  func interrupted() throws {
    var options = ModelInstaller.Options()
    options.replaces = true
    let first = try install(folder.write("1.gguf", "good 1"))
    let catalog = try Data(contentsOf: URL(filePath: folders.models + "/.local.json"))
    let second = try install(folder.write("2.gguf", "good 2"), as: "mine", options)
    // Killed while copying; then after the file was placed, before the catalog knew.
    try folder.write("models/.staging/mine/model", "goo")
    try folder.write("models/mine/\(first.file.name)", "good 1")
    try folder.write("models/.local.json", catalog)
    #expect(try store().verify(store().model(named: "mine")) == .present)
    #expect(try store().model(named: "mine").file == first.file)
    let again = try install(folder.path + "/2.gguf", as: "mine", options)
    #expect(again.file == second.file && Folder.names(in: folders.models + "/mine") == [second.file.name])
    #expect(!Folder.names(in: folders.models).contains(".staging"))
  }

  @Test("remove takes all of a model, and never what is part of the program")
  func remove() throws {
    let model = try install(folder.write("1.gguf", "good 1"))
    let installer = try ModelInstaller(store: store(), inspect: Self.inspect)
    #expect(try installer.remove(model, forgetsPin: false) {} == 6)
    #expect(try store().catalog.model(named: "mine") == nil)
    #expect(Folder.names(in: folders.models) == [".local.json", ".lock"])
    let nano = try #require(try Catalog.builtIn().models.first { $0.source == .builtIn })
    #expect(throws: InstallError.builtIn(nano.name)) { try installer.remove(nano, forgetsPin: true) {} }
    // A fetched one stays known.
    let tiny = try store().model(named: "tiny")
    try folder.write("models/tiny/tiny.gguf", "x")
    try folder.write("models/.downloads/tiny/part", "xy")
    #expect(try store().begun.map(\.name) == ["tiny"])
    #expect(try installer.remove(tiny, forgetsPin: false) {} == 3)
    #expect(try store().state(of: tiny) == .absent && store().begun.isEmpty)
  }

  @Test("where it cannot be written down nothing is installed or removed, and all is as it was")
  func unwritable() throws {
    let model = try install(folder.write("1.gguf", "good 1"))
    let other = try folder.write("2.gguf", "good 2")
    // Where the list is drafted.
    try folder.write("models/..local.json.new/x", "")
    let installer = try ModelInstaller(store: store(), inspect: Self.inspect)
    _ = try refusal { _ = try installer.remove(model, forgetsPin: false) {} }
    #expect(try store().verify(model) == .present)
    _ = try refusal { try install(other, as: "theirs") }
    #expect(!folder.exists("models/theirs"))
    var options = ModelInstaller.Options()
    options.replaces = true
    _ = try refusal { try install(other, as: "mine", options) }
    #expect(Folder.names(in: folders.models + "/mine") == [model.file.name])
    // The same once more.
    _ = try refusal { try install(folder.path + "/1.gguf", as: "mine", options) }
    #expect(try store().verify(store().model(named: "mine")) == .present)
  }

  @Test("a catalog of own models that cannot be read is told, and hides no others")
  func damagedCatalog() throws {
    try install(folder.write("1.gguf", "good 1"))
    for text in ["{", #"{"version": 9, "models": [], "pins": {}}"#, #"{"version": 2, "pins": {}}"#] {
      let path = try folder.write("models/.local.json", text)
      let library = try ModelLibrary(
        folders: folders, builtIn: Catalog(json: Data(CatalogText.with([:]).utf8)), now: Date())
      #expect(library.store.catalog.models.map(\.name) == ["tiny"])
      let refusal = try #require(library.refusals.first)
      #expect(library.refusals.count == 1 && refusal.description.hasPrefix(path), "\(refusal)")
      // Nor is it written over.
      guard case .local = try self.refusal({ try install(folder.path + "/1.gguf") }) else {
        Issue.record("installed over it")
        return
      }
    }
  }
}
