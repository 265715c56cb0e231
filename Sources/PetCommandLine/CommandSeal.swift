// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc
import PetFiles
import PetRuntime

/// The files that are left to a command that parses what others made: those that its arguments name, and no more.
package struct CommandSeal {
  package private(set) var files: [FileAccess] = []

  package init() {}

  /// Files, or folders with all below them. What is not there does no harm.
  package func reading(_ paths: String?...) -> CommandSeal {
    adding(paths.compactMap { $0 }.map { FileAccess($0, .read) })
  }

  /// The file of a model that is named by its path; nothing for one that has a name.
  package func reading(model: String?) -> CommandSeal {
    guard let model, ModelStore.isPath(model) else { return self }
    return reading(model)
  }

  /// Files with these endings in a folder, of which some may be links that lead out of it; a file where it is no folder.
  package func reading(_ path: String, endings: [String]) -> CommandSeal {
    let names = Folder.isFolder(path) ? Folder.names(in: path) : []
    let links = names.filter { name in
      endings.contains { name.lowercased().hasSuffix(".\($0)") } && FilePath.isLink("\(path)/\(name)")
    }
    return adding([FileAccess(path, .read)] + links.map { FileAccess("\(path)/\($0)", .read) })
  }

  /// A file that takes the place of what is there, whole: by way of a draft in the same folder. Into a pipe or a device is written.
  package func making(_ path: String?) -> CommandSeal {
    guard let path else { return self }
    var status = stat()
    let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    guard !isSpecial else { return adding([FileAccess(path, .readWrite)]) }
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    return adding([FileAccess(folder, .make)])
  }

  package func adding(_ files: [FileAccess]) -> CommandSeal {
    var seal = self
    seal.files += files
    return seal
  }
}

/// A command that is sealed whole before it does anything: it speaks to nobody, and has no file but those of its seal.
package protocol SealedCommand: ParsableCommand {
  var confinement: ConfinementOptions { get }
  func seal() throws -> CommandSeal
}

extension PetFolders {
  /// What a command reads that looks for a model: models, catalogs, whose catalogs count, and settings. Nothing of any pet.
  package var engineFiles: [FileAccess] {
    [models, catalogs, trust, "\(data)/config.toml"].map { FileAccess($0, .read) }
  }
}
