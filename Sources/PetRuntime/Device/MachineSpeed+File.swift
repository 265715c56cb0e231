// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles

/// The file in which a measurement is kept. It lies beside the models, which every sealed program may read.
extension MachineSpeed {
  /// No model can have this name.
  package static let fileName = ".speed.json"
  private static let mostBytes = 1 << 12

  package static func path(in folder: String) -> String { "\(folder)/\(fileName)" }

  /// What was kept in a folder, if it was measured on just this. A file that cannot be read or understood is none: it is measured anew.
  package static func kept(in folder: String, for conditions: Conditions) -> MachineSpeed? {
    guard let bytes = try? OpenFile.contents(path(in: folder), atMost: mostBytes),
      let speed = try? JSONDecoder().decode(MachineSpeed.self, from: Data(bytes)), speed.conditions == conditions
    else { return nil }
    return speed
  }

  /// Keeps it in a folder, which is made where there is none.
  /// - Throws: `FileError`.
  package func keep(in folder: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    let text = String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    // As whoever else makes the person's folder.
    try Folder.create(FilePath.folder(of: folder), mode: 0o700)
    try Folder.create(folder)
    try OpenFile.replace(Self.path(in: folder), text: text)
  }
}
