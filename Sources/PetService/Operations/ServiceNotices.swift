// SPDX-License-Identifier: Apache-2.0
import Glibc
import Logging
import PetEngine
import PetFiles
import PetRuntime
import Synchronization

/// What a person should know of a running daemon beside whether it answers: settings that it does not have, and models that it could
/// not load.
package final class ServiceNotices: Sendable {
  /// Tells one version of a file from another; nil in its place: there is none.
  private struct Stamp: Equatable {
    let inode: UInt64
    let bytes: Int64
    let seconds: Int
    let nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (inode, bytes) = (UInt64(status.st_ino), Int64(status.st_size))
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  private struct State {
    /// The entry that was looked at last, and whether what it holds differs from what was read.
    var seen: Stamp?
    var isChanged = false
    var isChangeLogged = false
    var reloadFailure: String?
  }

  private let path: String?
  /// Of the file as it was read; nil: there was none.
  private let contents: [UInt8]?
  private let logger: Logger
  private let state = Mutex(State())

  /// - Parameter settings: the path of the file of settings, which is read after this; nil: none is.
  package init(settings path: String?, logger: Logger) {
    self.path = path
    self.logger = logger
    let stamp = path.flatMap(Stamp.init)
    contents = path.flatMap(Self.contents)
    state.withLock { $0.seen = stamp }
  }

  /// Nil where there is none; of a file that cannot be read, or holds more than settings do, nothing.
  private static func contents(_ path: String) -> [UInt8]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else { return [] }
    return (try? OpenFile.contents(path, atMost: 1 << 16)) ?? []
  }

  /// A file that was put back as it was is unchanged.
  private func isChanged(_ path: String) -> Bool {
    let stamp = Stamp(path)
    return state.withLock { state in
      if stamp != state.seen {
        state.seen = stamp
        state.isChanged = Self.contents(path) != contents
        if !state.isChanged { state.isChangeLogged = false }
      }
      return state.isChanged
    }
  }

  /// The settings were read again for the model that they mean.
  /// - Parameter failure: why that one does not serve; nil: it does.
  package func noteReload(failure: String?) { state.withLock { $0.reloadFailure = failure } }

  /// One line each. Looks at the file's entry, and reads it where that differs.
  package var all: [String] {
    var notices: [String] = []
    if let path, isChanged(path) {
      let name = path.split(separator: "/").last.map(String.init) ?? path
      notices.append("\(name) changed; restart petd (SIGHUP takes the model from it, and nothing else)")
      let isNew = state.withLock { state in
        defer { state.isChangeLogged = true }
        return !state.isChangeLogged
      }
      if isNew { logger.warning("settings changed; restart petd", metadata: ["file": "\(name)"]) }
    }
    if let failure = state.withLock({ $0.reloadFailure }) { notices.append("not reloaded: \(failure)") }
    return notices
  }

  /// Those of models beside the one that answers, too.
  func all(of models: ServedModels) async -> [String] {
    all
      + (await models.runtime.facts()).compactMap { facts in
        guard facts.name != models.language.name, case .failed(let reason) = facts.state else { return nil }
        return reason
      }
  }
}
