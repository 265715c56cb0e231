// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetCompanion
import PetConversation
import PetLanguage
import PetMemory
import PetRuntime
import Synchronization

/// Pets and models for tests.
package enum Pets {
  package static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  package static let moment = Moment(seconds: 1_800_014_400)

  /// A model of somebody else, which never learned to be a pet.
  package static func stranger(contextLength: Int = 256) throws -> LanguageModel {
    try LanguageModel(
      path: tests.appending(path: "Fixtures/models/phi3-mha/model.gguf").path,
      .init(threadCount: 1, contextLength: contextLength))
  }

  package static func mochi(_ settings: LivingPet.Settings = .init(), memories: [String] = []) throws -> LivingPet {
    LivingPet(try PersonaCatalog().entry("mochi").persona, name: "mochi", memories: memories, settings) { moment }
  }
}

extension ModelStore {
  /// The repository's own folder of models: the separate model lies in it as in a store, and nothing that is fetched.
  package static func repository() throws -> ModelStore {
    ModelStore(
      folder: Pets.tests.deletingLastPathComponent().appending(path: "Models").path, catalog: try .builtIn())
  }
}

/// A folder for pets, removed with the test, and a clock that the test sets.
package final class PetFolder: Sendable {
  package let path = URL.temporaryDirectory.appending(path: "pet-\(UInt64.random(in: 0 ... .max))").path
  private let clock = Mutex(Pets.moment)

  package init() {}

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func wait(seconds: Int64) {
    clock.withLock { $0 = Moment(seconds: $0.seconds + seconds, offset: Int($0.offset)) }
  }

  package var now: Moment { clock.withLock { $0 } }

  /// The pet that lives there, opened anew.
  package func pet(
    _ name: String, _ settings: LivingPet.Settings = .init(), key: MemoryKey? = nil
  ) throws -> LivingPet {
    LivingPet(
      try PersonaCatalog().entry(name).persona, name: name,
      home: try PetHome(path + "/" + name, key: key, now: now), settings
    ) { [self] in now }
  }
}
