// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import Testing

@Suite("pet models quantize")
struct QuantizeCommandTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private let base = Fixtures.path("models/llama-tied/model.gguf")
  private let adapter = Fixtures.path("adapters/lora.gguf")

  private func quantize(_ arguments: String...) throws -> PetBinary.Result {
    try PetBinary.run(["models", "quantize"] + arguments, home: home.path)
  }

  @Test("says what it made, for people and for programs")
  func reports() throws {
    let output = home.path + "/a.gguf"
    let result = try quantize(
      base, output, "--type", "q4_1", "--keep", "token_embd.weight=Q8_0", "--keep", "blk.*.ffn_down.weight=F16",
      "--json")
    #expect(result.status == 0, "\(result.error)")
    let found = try #require(try result.json() as? [String: Any])
    #expect(found["output"] as? String == output)
    #expect(found["types"] as? [String: Int] == ["F32": 5, "Q8_0": 1, "F16": 2, "Q4_1": 12])
    #expect(found["fallbacks"] as? [String] == [])
    #expect(found["adapted"] as? Int == 0 && found["copied"] as? Int == 5)
    let sizes = try [base, output].map {
      try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int
    }
    #expect([found["bytes_before"] as? Int, found["bytes_after"] as? Int] == sizes)

    let plain = try quantize(base, output, "--type", "Q8_0", "--adapter", adapter)
    #expect(plain.status == 0, "\(plain.error)")
    #expect(plain.output.hasPrefix("\(output): 125 kB before, "))
    #expect(plain.output.contains("15 Q8_0, 5 F32; 6 changed by the adapter\n"), "\(plain.output)")
    let wide = try quantize(Fixtures.smallModel, output, "--type", "Q5_0")
    #expect(wide.output.contains("\n8 F16 instead of Q5_0, their rows being no multiple of 32: "), "\(wide.output)")
    #expect(wide.output.contains(": token_embd.weight, blk.0."), "\(wide.output)")
    #expect(wide.output.contains(" and 5 more\n"), "\(wide.output)")
  }

  /// The hash was made with numpy, one float32 operation after the other (Tests/References/make_adapters.py): the merged
  /// weights are the same bytes on every machine.
  @Test("merged weights have the hash that they have everywhere")
  func mergedHash() throws {
    let output = home.path + "/a.gguf"
    #expect(try quantize(base, output, "--type", "F32", "--adapter", adapter).status == 0)
    let file = try GGUFFile(path: output)
    var data = Data()
    for name in file.tensorNames { data.append(contentsOf: file.data(of: try #require(file.tensors[name]))) }
    try data.write(to: URL(filePath: home.path + "/data"))
    let facts = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(filePath: Fixtures.path("adapters/targets.json"))))
    let expected = try #require((facts as? [String: Any])?["sha256"] as? String)
    #expect(try FileVerifier.hash(of: home.path + "/data").description == expected)
  }

  /// Of whole files: metadata, order and padding are part of what must not depend on the machine.
  @Test(
    "quantized files have the hash that they have everywhere",
    arguments: [
      ("Q4_1", "53dd96fc26153ba235476f524cfa216a35cfdd6a71e77e04122073aca805bbed"),
      ("Q8_0", "71f24569245c4d495d968f4728eff67942241be4bae52df494f4a5f07a03ee0e"),
    ])
  func fileHash(_ type: String, _ expected: String) throws {
    let output = home.path + "/a.gguf"
    #expect(try quantize(base, output, "--type", type, "--adapter", adapter).status == 0)
    #expect(try FileVerifier.hash(of: output).description == expected)
  }

  @Test("what makes no sense is usage, exit code 2")
  func usage() throws {
    let output = home.path + "/a.gguf"
    let copy = home.path + "/copy.gguf"
    try FileManager.default.copyItem(atPath: base, toPath: copy)
    for arguments in [
      [base, output], [base, output, "--type", "Q4_K_L"], [base, output, "--type", "Q8_0", "--keep", "x"],
      [base, output, "--type", "Q8_0", "--keep", "x=Q9"], [base, "--type", "Q8_0"], [copy, copy, "--type", "Q8_0"],
      [base, output, "--type", "Q8_0", "--threads", "0"], [base, output, "--type", "Q8_0", "--keep", "x=Q4_K_M"],
    ] {
      let result = try PetBinary.run(["models", "quantize"] + arguments, home: home.path)
      #expect(result.status == 2, "\(arguments): \(result)")
      #expect(result.error.hasPrefix("pet: ") && result.error.filter(\.isNewline).count == 1, "\(result.error)")
    }
    #expect(!FileManager.default.fileExists(atPath: output))
    #expect(FileManager.default.contentsEqual(atPath: copy, andPath: base))
  }

  @Test("models and adapters that cannot be taken are refused, exit code 3")
  func refused() throws {
    let output = home.path + "/a.gguf"
    let short = home.path + "/short.gguf"
    try Data(contentsOf: URL(filePath: adapter)).prefix(9000).write(to: URL(filePath: short))
    for (arguments, words) in [
      (["/nowhere.gguf", output, "--type", "F16"], ["/nowhere.gguf"]),
      ([base, output, "--type", "F16", "--keep", "blk.9.*=Q8_0"], ["blk.9.*", "no matrix"]),
      ([base, output, "--type", "F16", "--adapter", "/nowhere.gguf"], ["/nowhere.gguf"]),
      ([base, output, "--type", "F16", "--adapter", base], [base, "not an adapter"]),
      ([base, output, "--type", "F16", "--adapter", short], [short, "cut short"]),
      ([adapter, output, "--type", "F16"], [adapter, "--adapter"]),
      ([Fixtures.smallModel, output, "--type", "F16", "--adapter", adapter], ["\"llama\"", "\"phi3\""]),
      (
        [Fixtures.path("models/llama-gqa/model.gguf"), output, "--type", "F16", "--adapter", adapter],
        ["token_embd.weight.lora_b", "[rank, 64]"]
      ),
    ] {
      let result = try PetBinary.run(["models", "quantize"] + arguments, home: home.path)
      #expect(result.status == 3, "\(arguments): \(result)")
      #expect(result.error.filter(\.isNewline).count == 1)
      for word in words { #expect(result.error.contains(word), "\(result.error)") }
    }
    #expect(!FileManager.default.fileExists(atPath: output))
  }
}
