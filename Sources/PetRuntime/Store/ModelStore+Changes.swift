// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// Changes to a store: made by one process at a time in hidden folders, and published by one rename.
extension ModelStore {
  private var stagings: String { "\(folder)/.staging" }

  /// Where a partial download is kept for the next attempt.
  func downloads(of name: String) -> String { "\(folder)/.downloads/\(name)" }

  /// Runs `body` while no other process changes the store.
  /// - Parameter waiting: called once when another one does, before waiting for it.
  func locked<Value>(waiting: () -> Void, body: () throws -> Value) throws -> Value {
    try Folder.create(folder)
    return try FileLock.holding("\(folder)/.lock", waiting: waiting, body: body)
  }

  /// Whether some process changes it just now.
  package var isBeingChanged: Bool {
    guard let lock = try? OpenFile("\(folder)/.lock", flags: O_RDWR | O_NOFOLLOW) else { return false }
    return (try? lock.tryLock()) == false
  }

  /// Same as `locked`, with errors of the store as `InstallError`.
  func changing<Value>(waiting: () -> Void, body: () throws -> Value) throws -> Value {
    do {
      return try locked(waiting: waiting, body: body)
    } catch let error as FileError {
      throw InstallError.file(error)
    } catch let error as LocalCatalogError {
      throw InstallError.local(error)
    } catch VerificationError.file(let error) {
      throw InstallError.file(error)
    }
  }

  /// An empty folder for drafts. Leftovers belong to a process that has ended, as this one holds the lock.
  func makeStaging(for name: String) throws -> String {
    removeStaging()
    let staging = "\(stagings)/\(name)"
    try Folder.create(staging, mode: 0o700)
    return staging
  }

  func removeStaging() { Folder.remove(stagings) }

  /// The folder of drafts that a process left which has ended; nil where there is none.
  package var leftStaging: String? { Folder.isFolder(stagings) && !isBeingChanged ? stagings : nil }

  /// Removes the folder of drafts, as soon as no other process changes the store.
  /// - Throws: `FileError`.
  package func removeLeftStaging() throws {
    try locked(waiting: {}) { removeStaging() }
    guard !FilePath.exists(stagings) else { throw FileError(path: stagings, operation: "remove", code: EACCES) }
  }

  /// Removes the file of a tier that was made, and its folder where nothing else is in it.
  func remove(_ tier: MadeTier) {
    guard let name = tier.file.knownAs else { return }
    Folder.remove("\(folder)/\(name)/\(tier.file.name)")
    rmdir("\(folder)/\(name)")
  }

  /// Makes a draft a model's file, and writes down what is known then; where that fails, nothing has changed, or it is there all
  /// the same.
  func place(_ draft: String, as file: String, of name: String, listing local: LocalCatalog) throws {
    let path = "\(folder)/\(name)/\(file)"
    let isNew = access(path, F_OK) != 0
    do {
      try place(draft, as: file, of: name)
      try local.write(in: folder)
    } catch {
      // Where only the disk did not say that it has the list, the list names it.
      guard !local.isWritten(in: folder) else { throw error }
      if isNew { unlink(path) }
      // Where another version is in it, it stays.
      rmdir("\(folder)/\(name)")
      throw error
    }
  }

  /// Makes a draft a model's file, durably: a power cut afterwards does not undo it.
  func place(_ draft: String, as file: String, of name: String) throws {
    try OpenFile.regular(draft).synchronize()
    let folder = "\(self.folder)/\(name)"
    try Folder.create(folder)
    let path = "\(folder)/\(file)"
    guard rename(draft, path) == 0 else { throw FileError(path: path, operation: "create", code: errno) }
    try Folder.synchronize(folder)
    try Folder.synchronize(self.folder)
  }
}
