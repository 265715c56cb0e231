// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// Brings one file of Hugging Face into a folder, in as many runs of curl as it takes, in as many processes as it takes.
///
/// curl writes to a pipe: it ends when this process does, however that ends, so that there are never two that write.
struct HubDownload {
  let model: CatalogModel
  let source: HuggingFaceSource
  let hub: HubAddress
  let tools: FetchTools
  let environment: [String: String]
  /// Of the parts; nobody else uses it.
  let folder: String

  /// curl's "the server does not go on where I asked it to".
  private static let rangeRefused: Int32 = 33
  /// curl's names for a connection that broke: partial file, time-out, nothing received, receive error, HTTP/2 streams.
  private static let broken: Set<Int32> = [18, 28, 52, 56, 92]

  private static let mostRefusals = 2

  private var partPath: String { "\(folder)/part" }
  private var headersPath: String { "\(folder)/headers" }

  /// Bytes that may come: where nobody knows how many there are, half as many again as somebody thought.
  private var limit: UInt64 { model.file.sha256 == nil ? model.file.bytes + model.file.bytes / 2 : model.file.bytes }

  /// Returns the path of the whole file, which nobody has looked at yet.
  /// - Parameter report: bytes that are here.
  /// - Throws: `FetchError`, `FileError`, `CancellationError`; what has come so far stays for the next time.
  func run(report: (UInt64) -> Void) throws -> String {
    try Folder.create(folder, mode: 0o700)
    let part = try PartialFile(partPath)
    // What is here outlives a power cut, too.
    defer { try? part.synchronize() }
    // A server that neither goes on nor comes to an end would be asked for ever.
    var refusals = 0
    while true {
      let before = part.count
      let plan = nextPlan(for: part)
      if plan == .verify { return partPath }
      let outcome = try fetch(plan, into: part, report)
      switch outcome.status {
      case 0: return partPath
      case Self.rangeRefused where plan != .begin && refusals < Self.mostRefusals:
        refusals += 1
        try part.empty()
      case let status where Self.broken.contains(status) && part.count > before: continue
      default:
        throw FetchError.hub(
          name: model.name, host: hub.base, lastErrorLine: outcome.lastErrorLine,
          kept: nextPlan(for: part) == .begin ? 0 : part.count)
      }
    }
  }

  private func nextPlan(for part: PartialFile) -> DownloadPlan {
    // Those that are too long, or cannot be read, count as none.
    let headers = (try? OpenFile.contents(headersPath, atMost: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
    return DownloadPlan.decide(
      part: part.count, of: model.file, validator: headers.flatMap(DownloadPlan.validator))
  }

  private func fetch(
    _ plan: DownloadPlan, into part: PartialFile, _ report: (UInt64) -> Void
  ) throws -> ChildProcess.Outcome {
    var validator: String?
    if case .resume(let tag) = plan {
      validator = tag
    } else {
      try part.empty()
      Folder.remove(headersPath)
    }
    let command = tools.fetch(
      source, from: hub, offset: part.count, validator: validator, headers: plan == .begin ? headersPath : nil)
    let empty = "\(folder)/empty"
    try Folder.create(empty, mode: 0o700)
    do {
      return try ChildProcess(command, environment: FetchEnvironment.minimal(environment), in: empty).run { piece in
        let count = part.count + UInt64(piece.count)
        guard count <= limit else {
          // A file that its maker replaced: the way on is told.
          throw model.isPinned
            ? FetchError.changed(name: model.name, .size(path: partPath, expected: limit, actual: count))
            : FetchError.hubTooLarge(name: model.name, limit: limit)
        }
        try part.append(piece)
      } check: {
        try Task.checkCancellation()
        report(part.count)
      }
    } catch FetchError.spawn(_, ENOENT) {
      throw FetchError.curlMissing
    }
  }
}
