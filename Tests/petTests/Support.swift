import Foundation

/// Files that the tests of other modules keep as well.
enum Fixtures {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures")

  static func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Random weights: it answers nonsense, and always the same.
  static let smallModel = path("models/phi3-mha/model.gguf")
}
