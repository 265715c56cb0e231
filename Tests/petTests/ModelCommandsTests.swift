// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Commands that run a model, on one of random weights.
@Suite("Commands that run a model")
struct ModelCommandsTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func run(_ arguments: [String], input: String = "") throws -> PetBinary.Result {
    try PetBinary.run(arguments + ["--model", Fixtures.smallModel], home: home.path, input: input)
  }

  private func object(_ result: PetBinary.Result) throws -> [String: Any] {
    #expect(result.status == 0, "\(result.error)")
    return try #require(try result.json() as? [String: Any])
  }

  @Test("complete is greedy by default, and says what it cost")
  func complete() throws {
    let arguments = ["complete", "--prompt", "hello", "--max-tokens", "20", "--json"]
    let first = try object(run(arguments))
    let ids = try #require(first["ids"] as? [Int])
    #expect(!ids.isEmpty && ids.count <= 20)
    let usage = try #require(first["usage"] as? [String: Int])
    #expect(usage["completion_tokens"] == ids.count)
    #expect(usage["cached_tokens"] == 0 && usage["dropped_turns"] == 0)
    #expect(try #require(usage["prompt_tokens"]) > 0)
    let timings = try #require(first["timings"] as? [String: Double])
    #expect(Set(timings.keys) == ["ttft_ms", "prefill_tps", "decode_tps"])
    #expect(["stop", "length"].contains(first["finish_reason"] as? String))
    for extra in [["--threads", "1"], ["--threads", "2"], ["--kernels", "scalar"]] {
      #expect(try object(run(arguments + extra))["text"] as? String == first["text"] as? String)
    }
    let plain = try run(["complete", "--max-tokens", "20"], input: "hello")
    #expect(plain.output == (first["text"] as? String ?? "") + "\n")
  }

  @Test("the same seed draws the same tokens")
  func seeds() throws {
    func ids(_ seed: String) throws -> [Int]? {
      try object(
        run(["complete", "--prompt", "a", "--max-tokens", "30", "--temperature", "1", "--seed", seed, "--json"]))["ids"]
        as? [Int]
    }
    #expect(try ids("7") == ids("7"))
    #expect(try ids("7") != ids("8"))
  }

  @Test("stop strings end the output and are left out")
  func stops() throws {
    let arguments = ["complete", "--prompt", "hello", "--max-tokens", "40"]
    let whole = try run(arguments).output
    let stop = String(try #require(whole.dropFirst(5).first))
    let cut = try run(arguments + ["--stop", stop]).output
    #expect(cut == String(whole.prefix(while: { String($0) != stop })) + "\n")
  }

  @Test("tokenize prints ids per line, and reads special tokens only when asked")
  func tokenize() throws {
    let lines = try run(["tokenize", "--json"], input: "one\n\n<|end|>\n")
    #expect(lines.status == 0)
    let objects = lines.output.split(separator: "\n")
    #expect(objects.count == 3)
    #expect(objects.allSatisfy { $0.hasPrefix("{\"ids\":[") && $0.hasSuffix("]}") })
    #expect(objects[1] == "{\"ids\":[]}")
    func count(_ arguments: [String]) throws -> Int? {
      let first = try run(["tokenize", "--json", "<|end|>"] + arguments)
      return (try first.json() as? [String: [Int]])?["ids"]?.count
    }
    #expect(try count(["--special"]) == 1)
    #expect(try #require(try count([])) > 1)
    let model = try PetBinary.run(
      ["tokenize", "--tokenizer", Fixtures.path("models/phi3-mha/tokenizer.model"), "--json", "one"], home: home.path)
    #expect(model.output.split(separator: "\n").first == objects[0])
  }

  @Test("perplexity of a text, and of one that is too short")
  func perplexity() throws {
    let essay = Fixtures.path("text/essay.txt")
    let short = home.path + "/short.txt"
    try "hi".write(toFile: short, atomically: true, encoding: .utf8)
    let refused = try run(["perplexity", short, "--ctx", "128"])
    #expect(refused.status == 3 && refused.error.contains("short.txt") && refused.error.contains("--ctx"))
    // Random weights know nothing, but less than nothing would be a fault: ln(320) is a fair guess.
    let text = try String(contentsOfFile: essay, encoding: .utf8).prefix(1500)
    try String(text).write(toFile: short, atomically: true, encoding: .utf8)
    let found = try object(run(["perplexity", short, "--ctx", "128", "--json"]))
    #expect(try #require(found["perplexity"] as? Double) > 100)
    #expect(found["ctx"] as? Int == 128)
  }

  @Test("bench prints the rows of the contract")
  func bench() throws {
    let found = try object(run(["bench", "-p", "16", "-n", "8", "-t", "1", "-r", "2", "--json"]))
    let rows = try #require(found["rows"] as? [[String: Any]])
    #expect(rows.map { $0["test"] as? String } == ["pp16", "tg8"])
    #expect(rows.allSatisfy { ($0["tokens_per_second"] as? Double ?? 0) > 0 && $0["threads"] as? Int == 1 })
    #expect((found["load_ms"] as? Double ?? 0) > 0 && (found["peak_rss_mb"] as? Double ?? 0) > 0)
  }

  @Test(
    "what makes no sense is usage, exit code 2",
    arguments: [
      ["complete", "--prompt", "a", "--temperature", "-1"], ["complete", "--prompt", "a", "--max-tokens", "0"],
      ["complete", "--prompt", "a", "--threads", "0"], ["complete", "--prompt", "a", "--kernels", "quantum"],
      ["chat", "--profile", "toaster"], ["bench", "-r", "0"], ["perplexity", "x", "--ctx", "1"], ["perplexity"],
      ["complete", "--prompt", "a", "--top-p", "2"],
    ])
  func usage(_ arguments: [String]) throws {
    let result = try run(arguments)
    #expect(result.status == 2, "\(result)")
    #expect(result.error.filter(\.isNewline).count == 1, "\(result.error)")
  }

  @Test("an empty prompt is refused, not a crash")
  func emptyPrompt() throws {
    let result = try run(["complete", "--prompt", ""])
    #expect(result.status == 3)
    #expect(result.error.contains("the prompt is empty"))
  }

  @Test("a converted Hugging Face folder answers as the model it is", arguments: ["phi3-mha", "llama-gqa"])
  func convert(_ name: String) throws {
    let output = home.path + "/converted.gguf"
    let converted = try PetBinary.run(
      ["models", "convert", Fixtures.path("models/\(name)"), "--output", output, "--type", "f32", "--json"],
      home: home.path)
    #expect(converted.status == 0, "\(converted.error)")
    let texts = try [output, Fixtures.path("models/\(name)/model.gguf")].map {
      try PetBinary.run(["complete", "--model", $0, "--prompt", "hello", "--max-tokens", "30"], home: home.path).output
    }
    #expect(texts[0] == texts[1] && texts[0].count > 1)
  }

  @Test("a vocabulary of which a GGUF file cannot say all is refused")
  func convertVocabulary() throws {
    let (folder, output) = (home.path + "/folder", home.path + "/converted.gguf")
    try FileManager.default.copyItem(atPath: Fixtures.path("models/llama-gqa"), toPath: folder)
    let file = URL(filePath: folder + "/tokenizer.model")
    var bytes = try Data(contentsOf: file)
    // normalizer_spec { remove_extra_whitespaces: true }
    bytes.append(contentsOf: [0x1A, 2, 0x20, 1] as [UInt8])
    try bytes.write(to: file)
    let result = try PetBinary.run(["models", "convert", folder, "--output", output], home: home.path)
    #expect(result.status != 0 && result.error.contains("remove_extra_whitespaces"), "\(result)")
    #expect(!FileManager.default.fileExists(atPath: output))
  }
}
