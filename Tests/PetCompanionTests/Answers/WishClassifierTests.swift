// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("Wishes to forget, in words that no rule reads")
struct WishClassifierTests {
  private struct Golden: Decodable {
    let line: String
    let likelihoods: [Float]
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  @Test("likelihoods are those of the trainer, but for 8 bits")
  func goldens() throws {
    let path = Self.folder.appending(path: "../Fixtures/wish_scores.json")
    let goldens = try JSONDecoder().decode([Golden].self, from: Data(contentsOf: path))
    #expect(goldens.count == 60)
    let errors = try goldens.map { golden in
      let found = try #require(WishClassifier.standard.likelihoods(of: golden.line))
      return zip(found, golden.likelihoods).map { abs($0 - $1) }.max() ?? 1
    }
    #expect(errors.reduce(0, +) / 60 < 0.02 && errors.allSatisfy { $0 < 0.35 }, "\(errors.max() ?? 0)")
  }

  @Test("a file of another length, or with what is no number, is refused")
  func malformed() throws {
    let path = Self.folder.appending(path: "../../../Models/wishes-v2.bin")
    var bytes = [UInt8](try Data(contentsOf: path))
    func classifier(_ bytes: [UInt8]) -> LineClassifier? { bytes.withUnsafeBytes { LineClassifier($0, classes: 3) } }
    #expect(classifier(bytes) != nil)
    for count in [0, 3, bytes.count - 4, bytes.count - 1] { #expect(classifier(Array(bytes.prefix(count))) == nil) }
    bytes.replaceSubrange(8..<12, with: [0, 0, 0xc0, 0x7f])
    #expect(classifier(bytes) == nil)
  }
}
