import FoundationEssentials
import PetRuntime
import Testing

@Suite("Catalog")
struct CatalogTests {
  @Test("the built-in catalog is sound and has the default model")
  func builtIn() throws {
    let catalog = try Catalog.builtIn()
    let model = try #require(catalog.defaultModel())
    #expect(model.name == "pet-135m")
    #expect(model.licence == "Apache-2.0")
    guard case .adapted(let made) = model.source, let base = catalog.model(named: made.base),
      case .pypi(let source) = base.source
    else {
      Issue.record("\(model.source)")
      return
    }
    #expect(base.file.bytes == 98_362_432)
    #expect(source.artifact.sha256.description == "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70")
  }

  @Test("every adapter that the catalog names is built in, with the SHA-256 that it says")
  func adapters() throws {
    let folder = try TemporaryFolder()
    for case .adapted(let source) in try Catalog.builtIn().models.map(\.source) {
      let copy = "\(folder.path)/\(UUID())"
      try OpenFile.create(copy, #require(BuiltInFiles.bytes(named: source.adapter)))
      #expect(try FileVerifier.hash(of: copy) == source.adapterSHA256)
    }
  }

  @Test("each profile has one default; two are refused")
  func defaults() throws {
    for profile in Profile.allCases { #expect(try Catalog.builtIn().defaultModel(for: profile) != nil) }
    func catalog(_ first: String, _ second: String) throws -> Catalog {
      let models = [("a", first), ("b", second)].map { CatalogText.model(["name": "\"\($0)\"", "defaults": $1]) }
      return try Catalog(json: Data("{\"version\": 1, \"models\": [\(models.joined(separator: ","))]}".utf8))
    }
    #expect(throws: CatalogError.severalDefaults(["a", "b"])) { try catalog(#"["watch"]"#, #"["phone", "watch"]"#) }
    let apart = try catalog(#"["phone"]"#, #"["watch"]"#)
    #expect(apart.defaultModel()?.name == "a" && apart.defaultModel(for: .watch)?.name == "b")
    #expect(try catalog("[]", "null").defaultModel() == nil)
  }

  @Test("what is encoded decodes to the same")
  func roundTrip() throws {
    let catalog = try Catalog.builtIn()
    #expect(try Catalog(json: JSONEncoder().encode(catalog)) == catalog)
  }

  @Test("an unknown version is refused, whatever else is in the file")
  func version() {
    #expect(throws: CatalogError.unsupportedVersion(2)) {
      try Catalog(json: Data(#"{"version": 2, "models": "another shape"}"#.utf8))
    }
  }

  @Test(
    "malformed catalogs name the field",
    arguments: [
      (#"nonsense"#, "not JSON"),
      (#"{"models": []}"#, "'version' is missing"),
      (#"{"version": 1}"#, "'models' is missing"),
      (#"{"version": 1, "models": [{}]}"#, "'models.0.name' is missing"),
      (CatalogText.with(["bytes": "-1"]), "a number that does not fit"),
      (CatalogText.with(["sha256": "\"abc\""]), "not 64 hexadecimal digits"),
      (CatalogText.with(["kind": "\"telepathy\""]), "'models.0.kind'"),
      (CatalogText.with(["defaults": #"["toaster"]"#]), "'models.0.default_for.0'"),
      (CatalogText.with(["type": "\"torrent\""]), "unknown source type 'torrent'"),
      (
        CatalogText.with(["more": ", {\"name\": \"b\", \"bytes\": 1, \"sha256\": \"\(CatalogText.hash)\"}"]), "one file"
      ),
    ])
  func malformed(text: String, expected: String) throws {
    let error = try #require(throws: CatalogError.self) { try Catalog(json: Data(text.utf8)) }
    #expect(error.description.contains(expected), "\(error)")
    #expect(!error.description.contains("\n"))
  }

  @Test(
    "names that could leave a folder or pass for an option are refused",
    arguments: ["name", "file", "package", "wheelVersion", "member"],
    ["../up", "/etc/passwd", "a/../../b", "-rf", ".hidden", "", "a b", "a\\u0000b", "a;b", "é"])
  func traversal(field: String, value: String) throws {
    // A member may lie in a folder of the archive, but nothing may lead out of it.
    #expect(throws: CatalogError.self) {
      try Catalog(json: Data(CatalogText.with([field: "\"\(value)\""]).utf8))
    }
  }

  @Test("sizes that cannot be are refused", arguments: ["0", "18446744073709551615", "1099511627777"])
  func sizes(value: String) {
    #expect(throws: CatalogError.self) { try Catalog(json: Data(CatalogText.with(["bytes": value]).utf8)) }
    #expect(throws: CatalogError.self) { try Catalog(json: Data(CatalogText.with(["wheelBytes": value]).utf8)) }
  }

  @Test("two models of one name, and two defaults, are refused")
  func duplicates() {
    let model = CatalogText.model([:])
    #expect(throws: CatalogError.duplicate("tiny")) {
      try Catalog(json: Data(#"{"version": 1, "models": [\#(model), \#(model)]}"#.utf8))
    }
    let other = CatalogText.model(["name": "\"other\""])
    #expect(throws: CatalogError.severalDefaults(["tiny", "other"])) {
      try Catalog(json: Data(#"{"version": 1, "models": [\#(model), \#(other)]}"#.utf8))
    }
  }
}
