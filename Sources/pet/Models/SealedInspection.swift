// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import PetEngine
import PetFiles

/// Looks at files that come among the models. What looks is sealed; the command that then keeps them, and writes down what they are, never
/// parses them.
enum SealedInspection {
  static let inspect: ModelInspection = {
    guard let folders = try? PetFolders.current() else { return ModelFiles.inspect }
    return ModelFiles.sealedInspection(in: folders.models)
  }()

  /// Before the first thread.
  static func start() throws {
    // What is not there cannot be given.
    try Folder.create(PetFolders.current().models)
    _ = inspect
  }
}

extension ModelsPullCommand: ConfinedCommand {
  func confine() throws { try SealedInspection.start() }
}

extension ModelsRepairCommand: ConfinedCommand {
  func confine() throws { try SealedInspection.start() }
}

extension ModelsTiersCommand: ConfinedCommand {
  func confine() throws { try SealedInspection.start() }
}
