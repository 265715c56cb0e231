// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetLanguage
import Testing

/// The models that tests run on.
enum Models {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  static func fixture(_ path: String) -> URL { tests.appending(path: "Fixtures").appending(path: path) }

  /// A random model of a few kilobytes: it talks nonsense, quickly.
  static func small(
    _ name: String = "phi3-mha", contextLength: Int = 2048, threads: Int = 1
  ) throws -> LanguageModel {
    try LanguageModel(
      path: fixture("models/\(name)/model.gguf").path,
      .init(threadCount: threads, contextLength: contextLength))
  }

  /// Real models, against which there are goldens.
  enum Reference: String {
    /// The base of the default model, which scripts/test fetches and names in PET_TEST_MODEL.
    case smollm2
    /// The one that is part of the program.
    case nano

    private static let environment = ProcessInfo.processInfo.environment

    /// Those that can be tested here. Where CI is set all must be there.
    static let present: [Reference] =
      environment["PET_TEST_MODEL"] != nil || environment["CI"] != nil ? [.smollm2, .nano] : [.nano]

    func load() throws -> LanguageModel {
      let path: String =
        switch self {
        case .smollm2:
          try #require(
            Self.environment["PET_TEST_MODEL"], "PET_TEST_MODEL names no model; scripts/test fetches and names it")
        case .nano: Models.tests.deletingLastPathComponent().appending(path: "Models/nano-v6.gguf").path
        }
      return try LanguageModel(path: path, .init(threadCount: 2))
    }
  }
}
