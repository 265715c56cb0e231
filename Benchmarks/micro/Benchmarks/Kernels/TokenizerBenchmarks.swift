// SPDX-License-Identifier: Apache-2.0
import Benchmark
import Glibc
import PetInference
import PetLanguage
import PetTokenizer

/// Text to tokens and back: with the SentencePiece vocabulary of the model that is part of the program and, where
/// `PET_BENCH_MODEL` names a GGUF file, with its own.
func registerTokenizerBenchmarks() {
  var files = shippedModels().map { ("SentencePiece", $0) }
  if let path = environment("PET_BENCH_MODEL") { files.append(("PET_BENCH_MODEL", path)) }
  for (name, path) in files {
    register("text to tokens, \(name)") { report in
      let tokenizer = try Vocabulary(file: GGUFFile(path: path)).makeTokenizer()
      return { report(sample.count, try ContinuousClock().measure { blackHole(try tokenizer.encode(sample)) }) }
    }
    register("tokens to text, \(name)") { report in
      let tokenizer = try Vocabulary(file: GGUFFile(path: path)).makeTokenizer()
      let tokens = try tokenizer.encode(sample)
      return { report(sample.count, ContinuousClock().measure { blackHole(tokenizer.decode(tokens)) }) }
    }
  }
}

/// Paths of the language models in the folder Models.
func shippedModels() -> [String] {
  let root = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined()
  var found = glob_t()
  defer { globfree(&found) }
  guard glob(root + "/Models/nano-*.gguf", 0, nil, &found) == 0 else { return [] }
  return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
}

extension BenchmarkMetric {
  static let text = BenchmarkMetric.custom("text, kB/s", polarity: .prefersLarger, useScalingFactor: false)
}

/// 64 kB of what people write: words, figures, other scripts.
private let sample: [UInt8] = {
  let line = "The cat sat on the mat at 7:30, and it cost 12.50 € — “naïve”, said Ångström; 日本語 and наконец 🐱.\n"
  return Array(String(repeating: line, count: (64 << 10) / line.utf8.count).utf8)
}()

/// - Parameter prepare: makes the body once; it is given what to tell bytes and time to.
private func register(
  _ name: String,
  prepare: @escaping (_ report: @escaping (Int, Duration) -> Void) throws -> () throws -> Void
) {
  var body: (() throws -> Void)?
  Benchmark(
    name,
    configuration: .init(
      metrics: [.text], units: [.text: .count], warmupIterations: 1, maxDuration: .milliseconds(300),
      maxIterations: 2000)
  ) { benchmark in
    let run =
      try body
      ?? prepare { bytes, time in benchmark.measurement(.text, Int(Double(bytes) / (time / .seconds(1)) / 1000)) }
    body = run
    try run()
  }
}
