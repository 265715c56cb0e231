// SPDX-License-Identifier: Apache-2.0
import PetClassifiers
import SeededGenerator
import Testing

@Suite("Files that are no stress classifier")
struct StressModelTests {
  private func refuses(_ file: StressFile, _ reason: String, _ place: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: ClassifierError.self, sourceLocation: place) { try file.classifier() }
    guard case .invalidModel(let said) = error else {
      Issue.record("\(String(describing: error)) is no invalid model", sourceLocation: place)
      return
    }
    #expect(said.contains(reason), sourceLocation: place)
  }

  @Test(
    "tensors that do not fit",
    arguments: [
      ("signal.mean", [1], "has 1 values"), ("signal.covariance", [], "has 0 values"),
      ("score.weight", [Float](repeating: 0, count: 65), "is zero"),
      ("score.weight", [Float](repeating: .nan, count: 65), "not finite"),
      ("signal.mean", [Float](repeating: 1e30, count: 65), "out of range"),
      ("signal.covariance", [Float](repeating: 1, count: 65 * 65), "not positive definite"),
      ("signal.covariance", [Float](repeating: -1, count: 65 * 65), "not positive definite"),
      ("level.threshold", [1, 1], "does not increase"), ("level.threshold", [0, .infinity], "not finite"),
    ] as [(String, [Float], String)])
  func tensors(_ name: String, _ values: [Float], _ reason: String) throws {
    var file = try StressFile()
    file.tensors[name] = values
    refuses(file, reason)
  }

  @Test("a covariance that is not symmetric")
  func symmetry() throws {
    var file = try StressFile()
    file.tensors["signal.covariance"]?[1] += 0.01
    refuses(file, "not symmetric")
  }

  @Test("an error of the source arrives as it is")
  func source() throws {
    var file = try StressFile()
    file.tensors["signal.mean"] = nil
    #expect(throws: ClassifierError.self) { try file.classifier() }
  }

  @Test(
    "definitions that do not fit",
    arguments: [
      ("\"version\":1", "\"version\":2", "version 2"), ("\"active\"", "\"afraid\"", "different names"),
      ("\"active\"", "\"Active\"", "different names"), ("\"active\"", "\"\"", "different names"),
      ("\"low\":[", "\"low\":[\"calm\",", "a tier"), ("\"low\":[", "\"low\":[\"tired\",", "a tier"),
      ("\"version\":1", "\"version\":1e99", "its form"), ("{", "", "its form"), ("{", "{{", "its form"),
    ])
  func definition(_ old: String, _ new: String, _ reason: String) throws {
    var file = try StressFile()
    let place = try #require(file.definition.firstRange(of: old))
    file.definition.replaceSubrange(place, with: new)
    refuses(file, reason)
  }

  @Test("a huge or deep definition")
  func huge() throws {
    var file = try StressFile()
    file.definition += String(repeating: " ", count: 100_000)
    refuses(file, "64 KiB")
    file.definition = String(repeating: "[", count: 60_000)
    refuses(file, "its form")
  }

  @Test("a damaged definition is refused as an invalid model, or the classifier still works")
  func damaged() throws {
    let whole = try StressFile()
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      var bytes = Array(whole.definition.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
      }
      var file = whole
      file.definition = String(decoding: bytes, as: UTF8.self)
      do {
        let classifier = try file.classifier()
        _ = try classifier.assess(StressSignals([try #require(classifier.signals().first): 1]))
      } catch let error as ClassifierError {
        guard case .invalidModel = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }
}
