// SPDX-License-Identifier: Apache-2.0
import Benchmark
import CHeap
import Glibc
import PetInference
import PetLanguage
import PetTokenizer

/// From a path to a tokenizer: of the model that is part of the program, of a made-up file with a vocabulary of 150,000 tokens
/// of byte pairs, and of the one that `PET_BENCH_MODEL` names. All are in the page cache.
func registerLoadBenchmarks() {
  for path in shippedModels() { registerLoad("SentencePiece") { path } }
  if let path = environment("PET_BENCH_MODEL") { registerLoad("PET_BENCH_MODEL") { path } }
  registerLoad("150,000 tokens", isTemporary: true) { try SyntheticVocabulary(tokens: 150_000).write() }
}

extension BenchmarkMetric {
  static let strings = BenchmarkMetric.custom("tokens and merges, kB", useScalingFactor: false)
  static let heap = BenchmarkMetric.custom("on the heap, kB", useScalingFactor: false)
}

/// - Parameters:
///   - isTemporary: whether the file goes with the benchmark.
///   - makePath: called where the benchmark runs.
private func registerLoad(_ name: String, isTemporary: Bool = false, _ makePath: @escaping () throws -> String) {
  let path = Path(isTemporary: isTemporary, make: makePath)
  Benchmark("opening, \(name)", configuration: configuration([])) { benchmark in
    let path = try path.value()
    benchmark.startMeasurement()
    let file = try GGUFFile(path: path)
    benchmark.stopMeasurement()
    blackHole(file)
  } teardown: {
    path.remove()
  }
  Benchmark("tokenizer ready, \(name)", configuration: configuration([.strings, .heap])) { benchmark in
    let path = try path.value()
    let before = heap_bytes()
    benchmark.startMeasurement()
    let file = try GGUFFile(path: path)
    let tokenizer = try Vocabulary(file: file).makeTokenizer()
    benchmark.stopMeasurement()
    benchmark.measurement(.heap, Int(heap_bytes() - before) / 1000)
    benchmark.measurement(.strings, stringBytes(file) / 1000)
    blackHole(tokenizer)
  } teardown: {
    path.remove()
  }
}

private func configuration(_ metrics: [BenchmarkMetric]) -> Benchmark.Configuration {
  .init(
    metrics: [.wallClock] + metrics, timeUnits: .microseconds, units: [.strings: .count, .heap: .count],
    warmupIterations: 3, maxDuration: .milliseconds(500), maxIterations: 2000)
}

/// A file that is made when it is first asked for.
private final class Path {
  private let isTemporary: Bool
  private let make: () throws -> String
  private var made: String?

  init(isTemporary: Bool, make: @escaping () throws -> String) {
    self.isTemporary = isTemporary
    self.make = make
  }

  func value() throws -> String {
    let path = try made ?? make()
    made = path
    return path
  }

  func remove() {
    if isTemporary, let made { unlink(made) }
    made = nil
  }
}

/// Bytes of the strings that a tokenizer is made of.
private func stringBytes(_ file: GGUFFile) -> Int {
  ["tokenizer.ggml.tokens", "tokenizer.ggml.merges"].reduce(0) { sum, key in
    guard case .strings(let strings)? = file.metadata[key] else { return sum }
    return sum + strings.bytes.count - strings.count * GGUFStrings.lengthBytes
  }
}
