// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles
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

  @Test("every file and every part that is built in has the size and the SHA-256 that the catalog says")
  func builtInFiles() throws {
    let store = ModelStore(folder: "/nonexistent", catalog: try .builtIn())
    let builtIn = store.catalog.models.filter { $0.source == .builtIn }
    #expect(builtIn.count >= 10 && builtIn.contains { $0.parts.count == 2 })
    for model in builtIn {
      #expect(try store.verify(model) == .present, "\(model.name)")
      #expect(model.requirements.size == model.files.reduce(0) { $0 + $1.bytes })
    }
  }

  @Test("a part must be built in, of a sound name, size and hash; one that is not so makes its model damaged or absent")
  func parts() throws {
    func catalog(_ type: String, _ part: String, bytes: UInt64 = 11_264_544) throws -> Catalog {
      let file = CatalogText.file(["type": "\"\(type)\"", "file": "\"nano-v6.gguf\"", "bytes": "\(bytes)"])
      let whole = file.dropLast() + ", \"parts\": [\(part)]}"
      return try Catalog(json: Data(CatalogText.with(["files": "{\"high\": \(whole)}"]).utf8))
    }
    func part(_ name: String, _ bytes: Int = 1, _ hash: String = "\"\(CatalogText.hash)\"") -> String {
      #"{"name": "\#(name)", "bytes": \#(bytes), "sha256": \#(hash)}"#
    }
    #expect(throws: CatalogError.self) { try catalog("pypi", part("danger-v7.bin")) }
    // Three of the largest are together more than a number holds.
    let huge = Array(repeating: part("x", .max), count: 3).joined(separator: ", ")
    for wrong in [part("../x"), part("x", 0), part("x", 1, "null"), huge] {
      #expect(throws: CatalogError.invalid(field: "tiny.files.high.parts", value: wrong.contains("..") ? "../x" : "x"))
      {
        try catalog("built_in", wrong)
      }
    }
    #expect(throws: CatalogError.invalid(field: "tiny.files.high.bytes", value: "\(UInt64.max)")) {
      try catalog("built_in", part("x"), bytes: .max)
    }
    func state(_ part: String) throws -> ModelState {
      let store = ModelStore(folder: "/nonexistent", catalog: try catalog("built_in", part))
      return try store.verify(try #require(store.catalog.models.first))
    }
    #expect(try state(part("no-such-file")) == .absent)
    guard case .damaged(.size(let path, expected: 1, actual: _)) = try state(part("danger-v7.bin")) else {
      Issue.record("a part of another size is taken")
      return
    }
    #expect(path == "danger-v7.bin")
  }

  @Test("each kind of classifier has a default in each profile, with requirements, targets and a card")
  func classifiers() throws {
    let catalog = try Catalog.builtIn()
    for kind in ModelKind.known where kind != .language {
      for profile in Profile.allCases {
        let model = try #require(catalog.defaultModel(for: profile, kind: kind))
        #expect(model.latency != nil && model.card != nil && model.requirements.expectedFrequency != nil)
        #expect(TieredName(baseName: "X_High")?.quality == model.quality)
        let rates = catalog.tiers(of: model).sorted { $0.key > $1.key }.compactMap {
          $0.value.requirements.expectedFrequency
        }
        #expect(rates == rates.sorted(by: >) && !rates.isEmpty)
      }
    }
  }

  @Test("each profile has one default; two are refused")
  func defaults() throws {
    for profile in Profile.allCases { #expect(try Catalog.builtIn().defaultModel(for: profile) != nil) }
    func catalog(_ first: String, _ second: String) throws -> Catalog {
      let models = [("a", first), ("b", second)].map { CatalogText.model(["name": "\"\($0)\"", "defaults": $1]) }
      return try Catalog(json: Data("{\"version\": 2, \"models\": [\(models.joined(separator: ","))]}".utf8))
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
    let published = CatalogText.with(
      ["latency": #"{"p50": 1, "p95": 2.5, "p99": 3}"#],
      publication: #"{"name": "acme", "serial": 7, "not_after": "2027-01-31T00:00:00Z"}"#)
    let other = try Catalog(json: Data(published.utf8))
    #expect(other.publication?.serial == 7 && other.publication?.notAfter == Date(timeIntervalSince1970: 1_801_353_600))
    #expect(try Catalog(json: JSONEncoder().encode(other)) == other)
  }

  @Test("an unknown version is refused, whatever else is in the file")
  func version() {
    for version in [1, 3] {
      #expect(throws: CatalogError.unsupportedVersion(version)) {
        try Catalog(json: Data(#"{"version": \#(version), "models": "another shape"}"#.utf8))
      }
    }
  }

  @Test(
    "malformed catalogs name the field",
    arguments: [
      (#"nonsense"#, "not JSON"),
      (#"{"models": []}"#, "'version' is missing"),
      (#"{"version": 2}"#, "'models' is missing"),
      (#"{"version": 2, "models": [{}]}"#, "'models.0.name' is missing"),
      (CatalogText.with(["bytes": "-1"]), "a number that does not fit"),
      (CatalogText.with(["sha256": "\"abc\""]), "not 64 hexadecimal digits"),
      // CVE-2024-37032: a digest that is a path.
      (CatalogText.with(["sha256": "\"../../../../../../../../etc/passwd\""]), "not 64 hexadecimal digits"),
      (CatalogText.with(["kind": "\"Tele pathy\""]), "'models.0.kind'"),
      (CatalogText.with(["defaults": #"["toaster"]"#]), "'models.0.default_for.0'"),
      (CatalogText.with(["type": "\"torrent\""]), "unknown source type 'torrent'"),
      (CatalogText.with(["files": "{}"]), "'tiny.files' cannot be 'without a file'"),
      (CatalogText.with(["files": #"{"high": {"model": "tiny"}}"#]), "'tiny.files' cannot be 'without a file'"),
      (CatalogText.with(["more": #", "low": {"model": "absent"}"#]), "'tiny.files.low.model' cannot be 'absent'"),
      (CatalogText.with(["more": #", "low": {"model": "tiny"}"#]), "'tiny.files.low.model' cannot be 'tiny'"),
      (CatalogText.with(["context": "null"]), "'tiny.context'"),
      (CatalogText.with(["context": "0"]), "'tiny.context'"),
      (CatalogText.with(["requirements": "{}"]), "minimum_memory_mb"),
      (
        CatalogText.with(["requirements": CatalogText.requirements.replacing(": 1,", with: ": 0,")]),
        "minimum_memory_mb': 0 MB of memory cannot be"
      ),
      (
        CatalogText.with(["requirements": CatalogText.requirements.replacing("optional", with: "nice")]),
        "int8_hardware"
      ),
      (CatalogText.with(["latency": #"{"p50": 3, "p95": 2, "p99": 4}"#]), "'tiny.latency_ms'"),
      (CatalogText.with(["sha256": "null"]), "'tiny.files.high.sha256' cannot be 'null'"),
      (CatalogText.with(["type": "\"local\""]), "'tiny.files.high.source.type' cannot be 'local'"),
    ])
  func malformed(text: String, expected: String) throws {
    let error = try #require(throws: CatalogError.self) { try Catalog(json: Data(text.utf8)) }
    #expect(error.description.contains(expected), "\(error)")
    #expect(!error.description.contains("\n"))
  }

  @Test(
    "names that could leave a folder or pass for an option are refused",
    arguments: ["name", "knownAs", "file", "package", "wheelVersion", "member", "repo", "revision", "hubFile"],
    ["../up", "/etc/passwd", "a/../../b", "-rf", ".hidden", "", "a b", "a\\u0000b", "a;b", "é"])
  func traversal(field: String, value: String) throws {
    // A member may lie in a folder of the archive, but nothing may lead out of it.
    let type = ["repo", "revision", "hubFile"].contains(field) ? "\"huggingface\"" : "\"pypi\""
    #expect(throws: CatalogError.self) {
      try Catalog(json: Data(CatalogText.with([field: "\"\(value)\"", "type": type]).utf8))
    }
    #expect(throws: Never.self) { try Catalog(json: Data(CatalogText.with(["type": type]).utf8)) }
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
      try Catalog(json: Data(#"{"version": 2, "models": [\#(model), \#(model)]}"#.utf8))
    }
    let other = CatalogText.model(["name": "\"other\""])
    #expect(throws: CatalogError.severalDefaults(["tiny", "other"])) {
      try Catalog(json: Data(#"{"version": 2, "models": [\#(model), \#(other)]}"#.utf8))
    }
  }

  @Test("tiers: each file has a name of its own, and another model may take a tier's place")
  func tiers() throws {
    let catalog = try Catalog.builtIn()
    let best = try #require(catalog.model(named: "pet-135m"))
    let q5 = try #require(catalog.model(named: "pet-135m-q5"))
    #expect(best.quality == .high && q5.quality == .medium && q5.family == "pet-135m" && q5.defaultFor.isEmpty)
    #expect(q5.description != best.description && q5.card?.figures != best.card?.figures)
    for model in [best, q5] {
      #expect(
        catalog.tiers(of: model).mapValues(\.name) == [.high: "pet-135m", .medium: "pet-135m-q5", .low: "pet-nano"])
    }
    let unnamed = CatalogText.with(["more": ", \"low\": \(CatalogText.file(["file": "\"Tiny_Low.gguf\""]))"])
    let other = try Catalog(json: Data(unnamed.utf8))
    #expect(other.models.map(\.name) == ["tiny", "tiny-low"])
    #expect(other.model(named: "tiny-low")?.file.name == "Tiny_Low.gguf")
  }

  @Test("kinds: this build's own, and any well-formed name besides")
  func kinds() throws {
    #expect(try Catalog.builtIn().models.allSatisfy { ModelKind.known.contains($0.kind) })
    let catalog = try Catalog(json: Data(CatalogText.with(["kind": "\"gait\""]).utf8))
    #expect(catalog.models[0].kind == ModelKind(rawValue: "gait") && catalog.defaultModel() == nil)
    for name in ["", "Pose", "../pose", "a b"] { #expect(ModelKind(rawValue: name) == nil) }
  }

  @Test("only files of Hugging Face in this program's catalog may leave the hash to the first fetch")
  func unknownHash() throws {
    let phi = try #require(try Catalog.builtIn().model(named: "phi-3-mini-4k-instruct"))
    guard case .huggingFace(let source) = phi.source else {
      Issue.record("\(phi.source)")
      return
    }
    #expect(phi.file.sha256 == nil && phi.quality == .high && phi.licence == "MIT")
    #expect(source.repository == "microsoft/Phi-3-mini-4k-instruct-gguf")
    #expect(source.file == "Phi-3-mini-4k-instruct-q4.gguf")
    let text = CatalogText.with(["type": "\"huggingface\"", "sha256": "null"])
    #expect(throws: Never.self) { try Catalog(json: Data(text.utf8)) }
    #expect(throws: CatalogError.invalid(field: "tiny.files.high.sha256", value: "null")) {
      try Catalog(json: Data(text.utf8), origin: .added(catalog: "acme"))
    }
  }

  @Test("a catalog larger than any is not read")
  func large() {
    #expect(throws: CatalogError.tooLarge(bytes: 5 << 20)) { try Catalog(json: Data(count: 5 << 20)) }
  }
}
