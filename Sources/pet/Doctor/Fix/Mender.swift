// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetCommandLine
import PetEngine
import PetFiles
import PetRuntime

/// Mends what can be mended.
struct Mender {
  let store: ModelStore
  /// The person's folder.
  let home: String

  /// - Returns: what was done.
  /// - Throws: why it could not be mended.
  func mend(_ flaw: Flaw) throws -> String {
    switch flaw {
    case .absentModel(let name, _), .damagedModel(let name, _): return try fetch(name)
    case .separateModel(_, nil, _): throw MendingError.elsewhere(flaw.remedy)
    case .separateModel(let name, let file?, _): return try install(file, as: name)
    case .deadSocket(let path):
      // A petd may have come meanwhile.
      guard LocalService(socket: path, home: home).isAbandoned else { return "a petd listens there again" }
      guard unlink(path) == 0 || errno == ENOENT else {
        throw FileError(path: path, operation: "remove", code: errno)
      }
      return "removed"
    case .openModes(let path, _, let isPrivate):
      let files = path == home ? [path] : FileModes.open(path, isPrivate: isPrivate)
      for file in files { try FileModes.close(file, isPrivate: isPrivate) }
      return isPrivate ? "closed to others" : "others may no longer write there"
    case .leftDraft(let path):
      try FileDraft.removeLeft(path)
      return "removed"
    case .leftStaging:
      try store.removeLeftStaging()
      return "removed"
    }
  }

  private func fetch(_ name: String) throws -> String {
    let model = try store.model(named: name)
    let progress = PullProgress(model: model)
    defer { progress.finish() }
    _ = try ModelFetcher.current(store).fetch(model) { progress.show($0) }
    return "fetched and checked: \(store.location(of: model))"
  }

  private func install(_ file: String, as name: String) throws -> String {
    var options = ModelInstaller.Options()
    options.replaces = true
    let model = try ModelInstaller(store: store, inspect: SealedInspection.inspect).install(file, as: name, options) {
      if case .waiting = $0 { Output.error.tell("another pet changes the models; waiting for it") }
    }
    return "installed: \(store.location(of: model))"
  }
}

/// What only the person can mend.
enum MendingError: UserFacingError {
  /// What to do, as an order.
  case elsewhere(String)
  case left(failed: Int, of: Int)

  var description: String {
    switch self {
    case .elsewhere(let order): order
    case .left(let failed, let count): "\(failed) of \(count) could not be mended; each line above says why"
    }
  }
}
