// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetAPI
import PetFiles

/// What this program keeps in its folder.
struct KeptFiles {
  struct Entry: Equatable {
    let name: String
    let explanation: String
    let isOfPets: Bool
    let bytes: UInt64
  }

  private static let known: [(name: String, explanation: String, isOfPets: Bool)] = [
    ("pets", "your pets, and what they remember", true), ("history", "what Up brings back", true),
    ("personas", "characters of your own", true), ("models", "models", false),
    ("catalogs", "catalogs that you added", false), ("trust", "keys that you trust", false),
    ("config.toml", "settings", false), ("petd.token", "the token of petd", false),
    (ServiceClient.socketName, "the socket of petd", false),
  ]

  private let folder: String
  let entries: [Entry]
  /// Names of what others put there.
  let others: [String]

  /// - Throws: `FileError` for a folder that is there and cannot be read.
  /// - Complexity: O(files).
  init(in folder: String) throws(FileError) {
    var names: [String] = []
    do throws(FileError) { names = try Folder.contents(of: folder).names } catch {
      guard error.code == ENOENT else { throw error }
    }
    self.folder = folder
    let entries: [Entry] = names.compactMap { name in
      // A draft of a program that was killed belongs to what it was to become.
      let plain = name.hasPrefix(".") && name.hasSuffix(".new") ? String(name.dropFirst().dropLast(4)) : name
      return Self.known.first { $0.name == plain }.map {
        Entry(
          name: name, explanation: $0.explanation, isOfPets: $0.isOfPets,
          bytes: Folder.bytes(below: "\(folder)/\(name)"))
      }
    }
    self.entries = entries
    others = names.filter { name in !entries.contains { $0.name == name } }
  }

  /// A pet that another program has open; nil where none is.
  var petInUse: String? {
    let pets = "\(folder)/pets"
    return Folder.names(in: pets).first { name in
      do throws(FileError) { _ = try LockedFile("\(pets)/\(name)/lock", creates: false, patience: .zero) } catch {
        return error.code == EWOULDBLOCK
      }
      return false
    }
  }

  /// Of a link the link alone goes. What has words of the person, and keys, is overwritten before, but for what has another name, too.
  /// - Throws: `FileError`; nothing was touched where a folder may not be changed.
  func remove(_ entry: Entry) throws {
    let path = "\(folder)/\(entry.name)"
    let files = try Self.files(path)
    if entry.isOfPets { for file in files { try OpenFile.overwrite(file) } }
    do { try FileManager.default.removeItem(atPath: path) } catch {
      throw FileError(path: path, operation: "remove", code: errno == 0 ? EIO : errno)
    }
  }

  /// Whether an entry is a link, whose target stays.
  func isLink(_ entry: Entry) -> Bool {
    var status = stat()
    return lstat("\(folder)/\(entry.name)", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Regular files of one name at or below a path, links not followed.
  /// - Throws: `FileError` for a folder that may not be read and changed.
  private static func files(_ path: String) throws(FileError) -> [String] {
    var status = stat()
    guard lstat(path, &status) == 0 else { return [] }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return status.st_nlink == 1 ? [path] : []
    case S_IFDIR:
      guard access(path, R_OK | W_OK | X_OK) == 0 else {
        throw FileError(path: path, operation: "remove", code: errno)
      }
      var found: [String] = []
      for name in try Folder.contents(of: path).names { found += try files("\(path)/\(name)") }
      return found
    default: return []
    }
  }

  /// - Throws: `FileError` where something could not be removed.
  func check(_ entries: [Entry]) throws(FileError) {
    guard access(folder, W_OK | X_OK) == 0 else { throw FileError(path: folder, operation: "remove", code: errno) }
    for entry in entries { _ = try Self.files("\(folder)/\(entry.name)") }
  }
}
