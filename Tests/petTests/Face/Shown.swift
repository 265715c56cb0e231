// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing
import pet

/// What a program wrote for a terminal, taken apart by tests.
enum Shown {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Goldens")
  static let repository = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Without the escape sequences that choose a colour. Others stay, and show.
  static func withoutColours(_ text: String) -> String { text.replacing(/\u{1B}\[(38;5;)?[0-9]+m/, with: "") }

  /// The text is that of the kept file. With PET_WRITE_GOLDENS=1 in the environment the file is written instead: read what it
  /// became before it is committed.
  static func expect(
    _ text: String, isGolden name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = folder.appending(path: name)
    if ProcessInfo.processInfo.environment["PET_WRITE_GOLDENS"] == "1" {
      try Data(text.utf8).write(to: file)
    }
    let kept = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text == kept, "\(name)", sourceLocation: sourceLocation)
  }
}
