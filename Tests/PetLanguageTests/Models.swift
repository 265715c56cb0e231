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

  /// The default model, which scripts/test fetches and names in PET_TEST_MODEL.
  static let smolLM2 = ProcessInfo.processInfo.environment["PET_TEST_MODEL"]

  /// Where the default model must be there: everywhere but in a hand-made run of the tests.
  static let needsSmolLM2 = smolLM2 != nil || ProcessInfo.processInfo.environment["CI"] != nil
}
