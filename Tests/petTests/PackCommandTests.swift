// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import Testing

@Suite("pet models pack")
struct PackCommandTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private let base = Fixtures.path("models/llama-gqa/model.gguf")
  private let nano = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Models/nano-v6.gguf").path

  private func pack(_ arguments: String...) throws -> PetBinary.Result {
    try PetBinary.run(["models", "pack"] + arguments, home: home.path)
  }

  @Test("says what it made, for people and for programs")
  func reports() throws {
    let output = home.path + "/a.gguf"
    let result = try pack(base, output, "--json")
    #expect(result.status == 0 && result.complaints == "", "\(result.error)")
    let found = try #require(try result.json() as? [String: Any])
    #expect(found["output"] as? String == output)
    // 2 layers of 7 matrices and the output; 5 norms and the embedding.
    #expect(found["interleaved"] as? Int == 15 && found["tensors"] as? Int == 21)
    let hash = try FileVerifier.hash(of: base).description
    #expect(found["source_sha256"] as? String == hash)
    #expect(try InterleavedFormat(file: GGUFFile(path: output))?.sourceHash == hash)
    let sizes = try [base, output].map { try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int }
    #expect([found["bytes_before"] as? Int, found["bytes_after"] as? Int] == sizes)

    let plain = try pack(base, output)
    #expect(plain.status == 0 && plain.output.hasSuffix(", 15 of 21 tensors interleaved\n"), "\(plain)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["a.gguf"])
  }

  /// The whole file: metadata, order and padding are part of what must not depend on the machine.
  @Test("an interleaved file has the hash that it has everywhere")
  func fileHash() throws {
    let output = home.path + "/a.gguf"
    #expect(try pack(base, output).status == 0)
    #expect(
      try FileVerifier.hash(of: output).description
        == "7e49568b4d0308dfa4cabc7edbfbf10b5295f085ea31db678ddc781848bb6c5c")
  }

  @Test("replies are those of the source, in both profiles")
  func replies() throws {
    let output = home.path + "/a.gguf"
    #expect(try pack(nano, output).status == 0)
    for profile in ["phone", "watch"] {
      let replies = try [nano, output].map { model in
        let arguments = ["chat", "--incognito", "--profile", profile, "--seed", "3", "--model", model]
        let result = try PetBinary.run(arguments, home: home.path, input: "The kettle is red.\nI like cats.\n")
        #expect(result.status == 0, "\(result.error)")
        return result.output
      }
      #expect(replies[0].count > 10 && replies[0] == replies[1])
    }
  }

  /// Copies are in memory when a model is ready; the pages of a mapped file come when they are used.
  @Test("nothing of it is copied, whatever the profile")
  func memory() throws {
    let output = home.path + "/a.gguf"
    #expect(try pack(nano, output).status == 0)
    func loaded(_ model: String, _ profile: String) throws -> Double {
      let arguments = ["bench", "--json", "--model", model, "--profile", profile, "-p", "2", "-n", "0", "-r", "1"]
      let result = try PetBinary.run(arguments, home: home.path)
      let report = try #require(try result.json() as? [String: Any])
      #expect(report["profile"] as? String == profile)
      return try #require(report["loaded_rss_mb"] as? Double)
    }
    let copied = try loaded(nano, "phone")
    for (model, profile) in [(output, "phone"), (output, "watch"), (nano, "watch")] {
      #expect(try loaded(model, profile) < copied - 6, "\(model) \(profile)")
    }
  }

  @Test("what makes no sense is usage, exit code 2")
  func usage() throws {
    let copy = home.path + "/copy.gguf"
    try FileManager.default.copyItem(atPath: base, toPath: copy)
    for arguments in [[base], [copy, copy], [base, home.path + "/x", "--type", "Q8_0"]] {
      let result = try PetBinary.run(["models", "pack"] + arguments, home: home.path)
      #expect(result.status == 2, "\(arguments): \(result)")
      #expect(result.error.hasPrefix("pet: ") && result.error.filter(\.isNewline).count == 1, "\(result.error)")
    }
    #expect(FileManager.default.contentsEqual(atPath: copy, andPath: base))
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["copy.gguf"])
  }

  @Test("models that cannot be interleaved, and interleaved ones where others are needed, are refused, exit code 3")
  func refused() throws {
    let (interleaved, output) = (home.path + "/interleaved.gguf", home.path + "/out.gguf")
    let short = home.path + "/short.gguf"
    #expect(try pack(base, interleaved).status == 0)
    try Data(contentsOf: URL(filePath: interleaved)).dropLast(200).write(to: URL(filePath: short))
    for (arguments, words) in [
      (["models", "pack", interleaved, output], [interleaved, "for running only"]),
      (["models", "quantize", interleaved, output, "--type", "Q8_0"], [interleaved, "for running only"]),
      (["models", "convert", interleaved, "--output", output], [interleaved, "folder"]),
      (["models", "pack", "/nowhere.gguf", output], ["/nowhere.gguf"]),
      (["models", "pack", Fixtures.smallModel, output], [Fixtures.smallModel, "48 rows"]),
      (["models", "pack", Fixtures.path("adapters/lora.gguf"), output], ["lora.gguf"]),
      (["complete", "--model", short, "--prompt", "hi"], [short, "cut short"]),
    ] {
      let result = try PetBinary.run(arguments, home: home.path)
      #expect(result.status == 3, "\(arguments): \(result)")
      #expect(result.error.filter(\.isNewline).count == 1)
      for word in words { #expect(result.error.contains(word), "\(result.error)") }
    }
    #expect(!FileManager.default.fileExists(atPath: output))
  }
}
