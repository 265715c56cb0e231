// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("Small classifiers of lines")
struct WordClassifierTests {
  @Test(
    "a truncated or altered file, or one with other classes, is refused, never a crash",
    arguments: [
      ("danger-v5.bin", DangerClassifier.families),
      ("danger-v7.bin", DangerClassifier.heads.reduce(0, +)),
      ("intents-v2.bin", IntentClassifier.classes),
    ])
  func malformed(_ name: String, classes: Int) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "../../../Models/\(name)")))
    func read(_ bytes: [UInt8], classes: Int = classes) throws {
      try bytes.withUnsafeBytes { buffer in _ = try WordClassifier(buffer, classes: classes, keeping: nil) }
    }
    try read(bytes)
    for other in [1, classes - 1, classes + 1] {
      #expect(throws: WordClassifier.ReadingError.self) { try read(bytes, classes: other) }
    }
    for count in [0, 3, 4, 31, 32, 60, 1000, bytes.count - 1] {
      #expect(throws: WordClassifier.ReadingError.self) { try read(Array(bytes.prefix(count))) }
    }
    for place in 0..<64 {
      var altered = bytes
      altered[place] ^= 0xFF
      #expect(throws: WordClassifier.ReadingError.self, "byte \(place)") { try read(altered) }
    }
  }
}
