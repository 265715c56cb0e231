// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetMemory
import Testing

/// What is in the file of a conversation that a pet keeps, opened with the key of the pet's memory.
enum KeptConversation {
  /// Its JSON.
  static func text(_ file: String) throws -> String {
    let url = URL(filePath: file)
    let folder = url.deletingLastPathComponent().deletingLastPathComponent().path
    let sealed = try Data(contentsOf: url)
    try #require(sealed.starts(with: Data("PETSEAL1".utf8)))
    let store = try MemoryStore(folder + "/memory.sqlite", onDamage: .refuse)
    let name = url.deletingPathExtension().lastPathComponent
    let opened = try #require(store.openedBeside(Array(sealed.dropFirst(8)), place: "conversation \(name)"))
    return String(decoding: opened, as: UTF8.self)
  }
}
