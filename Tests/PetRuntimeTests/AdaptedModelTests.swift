// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles
import PetRuntime
import Testing

@Suite("Models that are made from others")
struct AdaptedModelTests {
  private static let content = "made of the other one"
  private static let adapter = "pet-v4.lora.gguf"

  private struct OutOfClay: Error {}

  /// A catalog entry that says the file will be `content`.
  private static func entry(bytes: Int = content.utf8.count, adapterHash: String? = nil) throws -> String {
    let scratch = try TemporaryFolder()
    let hash = try FileVerifier.hash(of: scratch.write("content", content))
    let bytesOfAdapter = try #require(BuiltInFiles.bytes(named: adapter))
    let adapterFile = scratch.path + "/adapter"
    try OpenFile.create(adapterFile, bytesOfAdapter)
    let adapterHash = try adapterHash ?? FileVerifier.hash(of: adapterFile).description
    return """
      {"name": "made", "kind": "language", "architecture": "llama", "parameters": 1, "description": "a test",
       "licence": "CC0-1.0", "context": 16, "requirements": \(CatalogText.requirements),
       "files": {"high": {"name": "made.gguf", "bytes": \(bytes), "sha256": "\(hash)",
         "source": {"type": "adapted", "base": "tiny", "adapter": "\(adapter)", "adapter_sha256": "\(adapterHash)",
                    "weights": "Q8_0", "keep": ["token_embd.weight=F16"]}}}}
      """
  }

  private static func write(_ request: AdaptationRequest) throws {
    try Data(content.utf8).write(to: URL(filePath: request.output))
  }

  @Test("the base is fetched, the file made from it and the built-in adapter, checked and kept")
  func made() throws {
    let bench = try FetchBench(more: [Self.entry()])
    let model = try bench.store.model(named: "made")
    let base = bench.store.path(of: bench.model)
    let fetcher = try bench.fetcher(adapt: { request, progress in
      #expect(request.base == base && request.source.keep == ["token_embd.weight=F16"])
      #expect(request.source.type == "Q8_0")
      let expected = try #require(BuiltInFiles.bytes(named: Self.adapter))
      #expect(try Data(contentsOf: URL(filePath: request.adapter)) == Data(expected))
      progress(1, 2)
      try Self.write(request)
    })
    #expect(try fetcher.fetch(model) { _ in } == .fetched)
    #expect(try bench.store.verify(model) == .present)
    #expect(bench.left == ["made", "tiny"])
    #expect(try fetcher.fetch(model) { _ in } == .alreadyPresent)
    #expect(bench.asked.count == 1)
  }

  @Test("a file that is not the one that the catalog names is refused, and so is another adapter; nothing of it stays")
  func refused() throws {
    let other = try FetchBench(more: [Self.entry(bytes: 3)])
    let refusal = try #require(throws: FetchError.self) {
      try other.fetcher(adapt: { request, _ in try Self.write(request) }).fetch(other.store.model(named: "made")) { _ in
      }
    }
    #expect("\(refusal)".contains("model 'made' was refused"))
    #expect(other.left == ["tiny"])

    let adapter = try FetchBench(more: [Self.entry(adapterHash: CatalogText.hash)])
    let second = try #require(throws: FetchError.self) {
      try adapter.fetcher().fetch(adapter.store.model(named: "made")) { _ in }
    }
    #expect("\(second)".contains("adapter '\(Self.adapter)' was refused"))
    #expect(adapter.left == ["tiny"])
  }

  @Test("what stops the making is told with the model's name")
  func failure() throws {
    let bench = try FetchBench(more: [Self.entry()])
    let error = try #require(throws: FetchError.self) {
      try bench.fetcher(adapt: { _, _ in throw OutOfClay() }).fetch(bench.store.model(named: "made")) { _ in }
    }
    #expect(error == .adaptation(name: "made", reason: "OutOfClay()"))
    #expect(bench.left == ["tiny"])
  }

  @Test("a base that is not fetched itself is refused")
  func chain() throws {
    let text = try Self.entry().replacing("\"base\": \"tiny\"", with: "\"base\": \"made\"")
    #expect(throws: CatalogError.invalid(field: "made.files.high.source.base", value: "made")) {
      try Catalog(json: Data(#"{"version": 2, "models": [\#(text)]}"#.utf8))
    }
  }
}
