// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles
import PetRuntime
import Testing

@Suite("Fetching from Hugging Face", .enabled(if: access("/usr/bin/curl", X_OK) == 0))
struct HubDownloadTests {
  /// Pseudo-random: no piece equals another.
  private static let content: Data = {
    var state: UInt64 = 42
    return Data(
      (0..<1_000_003).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      })
  }()

  private let server: HubServer
  private let folder: TemporaryFolder
  private let hash: SHA256Hash

  init() throws {
    server = try HubServer()
    folder = try TemporaryFolder()
    hash = try FileVerifier.hash(of: folder.write("content", Self.content))
    try server.serve(Self.content)
  }

  /// - Parameter knowsHash: whether the catalog says it.
  private func store(
    knowsHash: Bool, bytes: Int = content.count, pins: [String: PinnedFile] = [:]
  ) throws -> (ModelStore, CatalogModel) {
    let text = CatalogText.with([
      "type": "\"huggingface\"", "bytes": "\(bytes)", "sha256": knowsHash ? "\"\(hash)\"" : "null",
    ])
    let store = ModelStore(folder: "\(folder.path)/store", catalog: try Catalog(json: Data(text.utf8)))
    return (store, try store.model(named: "tiny"))
  }

  private func fetcher(
    _ store: ModelStore, _ tools: FetchTools = FetchTools(), inspect: ModelInspection? = nil
  ) -> ModelFetcher {
    ModelFetcher(
      store: store, environment: ["PATH": "/usr/bin:/bin", "HF_ENDPOINT": server.address], tools: tools,
      adapt: FetchBench.noAdaptation,
      inspect: inspect ?? { _ in
        InspectedModel(kind: .language, architecture: "x", parameters: 1, context: 1, title: nil, memory: 1)
      })
  }

  private func left(_ store: ModelStore) -> [String] {
    Folder.names(in: store.folder).filter { ![".lock", ".local.json"].contains($0) }
  }

  private func refusal(_ fetcher: ModelFetcher, _ model: CatalogModel) throws -> FetchError {
    try #require(throws: FetchError.self) { try fetcher.fetch(model) { _ in } }
  }

  @Test("a file comes through the redirection whole, is checked, and nothing else is left")
  func whole() throws {
    let (store, model) = try store(knowsHash: true)
    #expect(try fetcher(store).fetch(model) { _ in } == .fetched)
    #expect(try store.verify(model) == .present)
    #expect(try Data(contentsOf: URL(filePath: store.path(of: model))) == Self.content)
    #expect(left(store) == [".downloads", "tiny"] && Folder.names(in: store.folder + "/.downloads") == [])
    #expect(try fetcher(store).fetch(model) { _ in } == .alreadyPresent)
    #expect(server.log == ["GET - 200"])
  }

  @Test("a server that always breaks off and never goes on is not asked for ever")
  func neverWhole() throws {
    let (store, model) = try store(knowsHash: true)
    try server.behave("cut=300000 no-range")
    guard case .hub = try refusal(fetcher(store), model) else {
      Issue.record("another refusal")
      return
    }
    #expect(server.log == Array(repeating: ["GET - 200", "GET bytes=300000- 200"], count: 3).flatMap(\.self))
  }

  @Test("a connection that breaks is taken up where it broke, within one fetch")
  func broken() throws {
    let (store, model) = try store(knowsHash: true)
    try server.behave("cut=300000")
    #expect(try fetcher(store).fetch(model) { _ in } == .fetched)
    #expect(try store.verify(model) == .present)
    #expect(server.log == ["GET - 200", "GET bytes=300000- 206", "GET bytes=600000- 206", "GET bytes=900000- 206"])
  }

  /// A fetch that is cancelled when some of the file is here.
  private func leavePart(_ store: ModelStore, _ model: CatalogModel) async throws {
    try server.behave("slow=20")
    let fetcher = fetcher(store)
    // Cancelled by itself: however busy the machine is, it is then in the middle.
    let task = Task {
      try fetcher.fetch(model) { event in
        if case .downloading(let done, _) = event, done > 200_000 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    let here = Folder.bytes(below: store.folder + "/.downloads/tiny/part")
    #expect(here > 200_000 && here < UInt64(Self.content.count))
    #expect(store.state(of: model) == .absent)
    try server.behave("")
  }

  @Test("a part that an earlier fetch left is completed by the next", arguments: [true, false])
  func resumed(knowsHash: Bool) async throws {
    let (store, model) = try store(knowsHash: knowsHash)
    try await leavePart(store, model)
    #expect(try fetcher(store).fetch(model) { _ in } == .fetched)
    #expect(try Data(contentsOf: URL(filePath: store.path(of: model))) == Self.content)
    let last = try #require(server.log.last)
    #expect(server.log.count == 2 && last.hasPrefix("GET bytes=") && last.hasSuffix(" 206"), "\(server.log)")
  }

  @Test("where no hash is known, halves of two versions are never joined")
  func changedMeanwhile() async throws {
    let (store, model) = try store(knowsHash: false)
    try await leavePart(store, model)
    let other = Data(Self.content.reversed())
    try server.serve(other)
    #expect(try fetcher(store).fetch(model) { _ in } == .fetched)
    #expect(try Data(contentsOf: URL(filePath: store.path(of: model))) == other)
    // Asked to go on, the server answered with the whole of another file; then it was asked anew.
    #expect(server.log.dropFirst().map { $0.split(separator: " ").last } == ["200", "200"], "\(server.log)")
  }

  @Test("where no hash is known and the server gives no tag, a part is not trusted")
  func noTag() async throws {
    let (store, model) = try store(knowsHash: false)
    try await leavePart(store, model)
    Folder.remove(store.folder + "/.downloads/tiny/headers")
    #expect(try fetcher(store).fetch(model) { _ in } == .fetched)
    #expect(server.log.last == "GET - 200")
  }

  @Test("what the next fetch will not go on with is not told as kept")
  func keptNothing() throws {
    let (store, model) = try store(knowsHash: false)
    try server.behave("cut=300000 no-tag")
    let refusal = try refusal(fetcher(store), model)
    guard case .hub("tiny", server.address, _, 0) = refusal else {
      Issue.record("\(refusal)")
      return
    }
  }

  @Test("headers that are too long count as none: the download goes on, or begins anew", arguments: [true, false])
  func longHeaders(knowsHash: Bool) async throws {
    let (store, model) = try store(knowsHash: knowsHash)
    try await leavePart(store, model)
    try folder.write("store/.downloads/tiny/headers", String(repeating: "x", count: 1 << 17))
    #expect(try fetcher(store).fetch(model) { _ in } == .fetched)
    let last = try #require(server.log.last)
    #expect(knowsHash ? last.hasSuffix(" 206") : last == "GET - 200", "\(server.log)")
  }

  @Test("a server that cannot go on starts over")
  func noRange() async throws {
    let (store, model) = try store(knowsHash: true)
    try await leavePart(store, model)
    try server.behave("no-range")
    #expect(try fetcher(store).fetch(model) { _ in } == .fetched)
    #expect(try store.verify(model) == .present)
    #expect(server.log.last == "GET - 200")
  }

  @Test(
    "the first fetch of an unknown hash pins it and says so; another file is refused ever after, until it is forgotten")
  func pin() throws {
    let (store, model) = try store(knowsHash: false, bytes: 900_000)
    let pins = Recorder<ModelFetcher.Event>()
    #expect(
      try fetcher(store).fetch(model) { if case .pinned = $0 { pins.add($0) } } == .fetched)
    #expect(pins.all == [.pinned(name: "tiny", sha256: hash)])
    #expect(try fetcher(store).fetch(model) { _ in } == .alreadyPresent)

    // Another run of the program knows the size and the hash.
    let folders = try PetFolders(environment: ["PET_HOME": folder.path])
    #expect(rename(store.folder, folders.models) == 0)
    let text = CatalogText.with(["type": "\"huggingface\"", "bytes": "900000", "sha256": "null"])
    let library = try ModelLibrary(folders: folders, builtIn: Catalog(json: Data(text.utf8)), now: Date())
    let known = try library.store.model(named: "tiny")
    #expect(known.isPinned && known.file.sha256 == hash && known.file.bytes == UInt64(Self.content.count))
    #expect(try library.store.verify(known) == .present)

    let installer = ModelInstaller(store: library.store, inspect: FetchBench.noInspection)
    #expect(try installer.remove(known, forgetsPin: false) {} == UInt64(Self.content.count))
    try server.serve(Data(Self.content.reversed()))
    let refusal = try refusal(fetcher(library.store), known)
    guard case .changed("tiny", .hash(_, hash, _)) = refusal else {
      Issue.record("\(refusal)")
      return
    }
    #expect(refusal.description.contains("pet models remove tiny --forget"))
    #expect(library.store.state(of: known) == .absent)
    // A program that was started before the pin was made holds to it too.
    #expect(try self.refusal(fetcher(library.store), model) == refusal)
    try server.serve(Self.content.dropLast())
    guard case .changed("tiny", .size) = try self.refusal(fetcher(library.store), known) else {
      Issue.record("a shorter file passed")
      return
    }
    try server.serve(Self.content + [0])
    guard case .changed("tiny", .size) = try self.refusal(fetcher(library.store), known) else {
      Issue.record("a longer file passed, or nobody is told what to do")
      return
    }

    #expect(try installer.remove(known, forgetsPin: true) {} == 0)
    #expect(try fetcher(library.store).fetch(model) { _ in } == .fetched)
  }

  @Test("of an unknown hash, what is no model is refused and not pinned")
  func inspected() throws {
    struct NoModel: Error {}
    let (store, model) = try store(knowsHash: false)
    let refusal = try refusal(fetcher(store, inspect: { _ in throw NoModel() }), model)
    #expect(refusal == .inspection(name: "tiny", reason: "NoModel()"))
    #expect(left(store) == [".downloads"] && Folder.names(in: store.folder + "/.downloads") == [])
    #expect(!Folder.names(in: store.folder).contains(".local.json"))
  }

  @Test("a flipped bit, a file that is too short, one that is too long: refused, and nothing of it is kept")
  func wrong() throws {
    let (store, model) = try store(knowsHash: true)
    var flipped = Self.content
    flipped[500_000] ^= 1
    for (served, expected) in [
      (flipped, "SHA-256 is"), (Self.content.dropLast(), "1000002 bytes instead of 1000003"),
      (Self.content + [0], "more than the expected 1000003 bytes"),
    ] {
      try server.serve(served)
      let refusal = try refusal(fetcher(store), model)
      #expect(refusal.description.contains(expected) && !refusal.description.contains("\n"), "\(refusal)")
      #expect(store.state(of: model) == .absent)
      #expect(Folder.names(in: store.folder + "/.downloads") == [])
    }
    // The same after a part that was right.
    let endless = try self.store(knowsHash: false, bytes: 600_000)
    try server.serve(Self.content)
    #expect(try refusal(fetcher(endless.0), endless.1) == .hubTooLarge(name: "tiny", limit: 900_000))
  }

  @Test("a part with a flipped bit is found when it is complete, and the next fetch begins anew")
  func damagedPart() async throws {
    let (store, model) = try store(knowsHash: true)
    try await leavePart(store, model)
    let path = store.folder + "/.downloads/tiny/part"
    var part = try Data(contentsOf: URL(filePath: path))
    part[100_000] ^= 1
    try part.write(to: URL(filePath: path))
    guard case .model("tiny", .hash) = try refusal(fetcher(store), model) else {
      Issue.record("a damaged part passed")
      return
    }
    #expect(try fetcher(store).fetch(model) { _ in } == .fetched)
    #expect(server.log.last == "GET - 200")
  }

  @Test("a refusal of the server, and one of the disk, are one line each; what is here stays for the next time")
  func failures() async throws {
    let (store, model) = try store(knowsHash: true)
    try await leavePart(store, model)
    try server.behave("status=503")
    let refusal = try refusal(fetcher(store), model)
    guard case .hub("tiny", server.address, _, let kept) = refusal, kept > 200_000 else {
      Issue.record("\(refusal)")
      return
    }
    #expect(refusal.description.contains("503") && refusal.description.contains("it goes on after"), "\(refusal)")
    try server.behave("")
    #expect(try fetcher(store).fetch(model) { _ in } == .fetched)
  }

  @Test("a missing curl says what to install, a wrong mirror what is wrong")
  func tools() throws {
    let (store, model) = try store(knowsHash: true)
    let error = try refusal(fetcher(store, FetchTools(curl: ["/nonexistent/curl"])), model)
    #expect(error == .curlMissing && error.description.contains("apt-get install curl"))
    let fetcher = ModelFetcher(
      store: store, environment: ["HF_ENDPOINT": "http://example.org"], adapt: FetchBench.noAdaptation,
      inspect: FetchBench.noInspection)
    #expect(try refusal(fetcher, model) == .hubAddress("http://example.org"))
  }

  @Test("curl is told to read no configuration, to use nothing but https, and to send what was asked")
  func command() throws {
    let source = try JSONDecoder().decode(
      HuggingFaceSource.self, from: Data(#"{"repo": "o/n", "revision": "r", "file": "d/f.gguf"}"#.utf8))
    let command = FetchTools().fetch(source, from: .standard, offset: 7, validator: "\"tag\"", headers: nil)
    #expect(command[..<2] == ["curl", "-q"])
    #expect(command.last == "https://huggingface.co/o/n/resolve/r/d/f.gguf" && command.dropLast().last == "--")
    for pair in [
      ["--proto", "=https"], ["--proto-redir", "=https"], ["--continue-at", "7"], ["--header", "If-Range: \"tag\""],
    ] {
      let index = try #require(command.firstIndex(of: pair[0]))
      #expect(command[index + 1] == pair[1])
    }
  }
}

@Suite("What to download")
struct DownloadPlanTests {
  @Test("mirrors: https anywhere, http on this machine only")
  func addresses() {
    #expect(HubAddress("https://example.org/hf/")?.base == "https://example.org/hf")
    #expect(HubAddress("https://example.org")?.protocols == "https")
    for here in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:9"] {
      #expect(HubAddress(here)?.protocols == "http,https")
    }
    for bad in [
      "http://example.org", "http://127.0.0.1.example.org", "http://localhost:80@example.org", "ftp://127.0.0.1",
      "file:///etc",
      "https://", "", "example.org", "https://user@example.org", "https://a b", "https://a/{b,c}",
      "http://localhost:8o",
    ] {
      #expect(HubAddress(bad) == nil, "\(bad)")
    }
  }

  @Test("a part is continued, completed or thrown away")
  func plans() throws {
    let known = CatalogFile(name: "f", bytes: 100, sha256: SHA256Hash(CatalogText.hash))
    let unknown = CatalogFile(name: "f", bytes: 100, sha256: nil)
    for (part, file, tag, plan) in [
      (0, known, nil, DownloadPlan.begin), (0, unknown, "\"t\"", .begin), (99, known, nil, .resume(validator: nil)),
      (100, known, nil, .verify), (101, known, nil, .begin), (99, unknown, nil, .begin),
      (99, unknown, "\"t\"", .resume(validator: "\"t\"")), (100, unknown, "\"t\"", .resume(validator: "\"t\"")),
    ] as [(UInt64, CatalogFile, String?, DownloadPlan)] {
      #expect(DownloadPlan.decide(part: part, of: file, validator: tag) == plan, "\(part)")
    }
  }

  @Test("the tag is that of the last answer, and only a strong one")
  func tags() {
    let redirection = "HTTP/1.1 302 Found\r\nETag: \"first\"\r\n\r\n"
    #expect(DownloadPlan.validator(in: redirection + "HTTP/2 200\r\netag: \"second\"\r\n\r\n") == "\"second\"")
    #expect(DownloadPlan.validator(in: redirection + "HTTP/2 200\r\n\r\n") == nil)
    for weak in ["W/\"x\"", "\"\"", "x", "\"a\u{1}b\"", "\"" + String(repeating: "x", count: 300) + "\""] {
      #expect(DownloadPlan.validator(in: "HTTP/2 200\r\netag: \(weak)\r\n") == nil, "\(weak)")
    }
  }
}
