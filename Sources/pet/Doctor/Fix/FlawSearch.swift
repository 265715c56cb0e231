// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetAPI
import PetEngine
import PetFiles
import PetRuntime

/// Looks through the person's folder for what is not as it should be. Changes nothing, and reads no file of a pet.
struct FlawSearch {
  let store: ModelStore
  let configuration: Configuration
  /// The person's folder.
  let home: String

  /// - Complexity: O(files of the folder).
  func flaws() -> [Flaw] { absentModel + damagedModels + separateModels + deadSocket + openModes + drafts }

  private var absentModel: [Flaw] {
    let cause: ModelStoreError?
    do throws(ModelStoreError) { cause = try store.select(configuration).standsIn } catch { cause = error }
    guard let name = cause?.mendedByPull, let model = store.catalog.model(named: name), model.source != .separate,
      store.state(of: model) == .absent
    else { return [] }
    // What was named is wanted; a default that would not be used is not.
    guard configuration.model.value != nil || store.canRun(model, configuration) == .yes else { return [] }
    return [.absentModel(name: name, bytes: model.file.bytes)]
  }

  private var damagedModels: [Flaw] {
    store.catalog.models.filter { $0.source != .separate && $0.source != .builtIn }.compactMap { model in
      guard case .damaged(let error) = store.state(of: model) else { return nil }
      return .damagedModel(name: model.name, problem: error.description)
    }
  }

  private var separateModels: [Flaw] {
    store.catalog.models.filter { $0.source == .separate && store.state(of: $0) != .present }.map { model in
      .separateModel(
        name: model.name, file: Self.source("Models/\(model.name)/\(model.file.name)"), command: model.installCommand)
    }
  }

  /// A file of this program's source: in the working folder, or in one above the program.
  private static func source(_ path: String) -> String? {
    var folders = ["."]
    if let program = realpath("/proc/self/exe", nil) {
      defer { free(program) }
      var folder = FilePath.folder(of: String(cString: program))
      while folder != "/", folder != ".", folders.count < 6 {
        folders.append(folder)
        folder = FilePath.folder(of: folder)
      }
    }
    return folders.map { $0 == "." ? path : "\($0)/\(path)" }.first(where: FilePath.exists)
  }

  private var deadSocket: [Flaw] {
    let path = "\(home)/\(ServiceClient.socketName)"
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return [] }
    return LocalService(socket: path, home: home).isAbandoned ? [.deadSocket(path: path)] : []
  }

  /// What must be the owner's alone to read.
  private static let privateNames: Set<String> = ["pets", "history", "petd.token"]
  /// What others may read.
  private static let sharedNames: Set<String> = ["config.toml", "models", "catalogs", "trust", "personas"]

  private var openModes: [Flaw] {
    var flaws: [Flaw] = []
    var status = stat()
    if stat(home, &status) == 0, status.st_mode & 0o022 != 0 {
      flaws.append(.openModes(path: home, count: 1, isPrivate: false))
    }
    for name in Folder.names(in: home) {
      let isPrivate = Self.privateNames.contains(name)
      guard isPrivate || Self.sharedNames.contains(name) else { continue }
      let path = "\(home)/\(name)"
      let count = FileModes.open(path, isPrivate: isPrivate).count
      if count > 0 { flaws.append(.openModes(path: path, count: count, isPrivate: isPrivate)) }
    }
    return flaws
  }

  private var drafts: [Flaw] {
    let folders = [home] + ["models", "catalogs", "trust", "pets"].map { "\(home)/\($0)" }
    let below = folders.dropFirst().flatMap { folder in Folder.names(in: folder).map { "\(folder)/\($0)" } }
    let left = (folders + below.filter(Self.isRealFolder)).flatMap { folder in
      Folder.names(in: folder).map { "\(folder)/\($0)" }.filter(FileDraft.isLeft)
    }
    return left.map { .leftDraft(path: $0) } + (store.leftStaging.map { [.leftStaging(path: $0)] } ?? [])
  }

  private static func isRealFolder(_ path: String) -> Bool { !FilePath.isLink(path) && Folder.isFolder(path) }
}
