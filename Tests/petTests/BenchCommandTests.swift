// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// What `pet bench` prints. Nothing here depends on how fast the machine is.
@Suite("pet bench")
struct BenchCommandTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  /// On the model that is part of the program.
  private func report(_ arguments: String..., model: String = "pet-nano") throws -> [String: Any] {
    let result = try PetBinary.run(["bench", "--json", "--model", model, "-r", "2"] + arguments, home: home.path)
    #expect(result.status == 0 && result.complaints == "", "\(result.error)")
    return try #require(try result.json() as? [String: Any])
  }

  private func rows(_ report: [String: Any]) throws -> [[String: Any]] {
    try #require(report["rows"] as? [[String: Any]])
  }

  @Test("a row per test and depth, in the order asked for")
  func names() throws {
    let all = try report("-p", "8,4", "-n", "3", "--pg", "6,2", "--depth", "0,5", "-t", "1")
    #expect(
      try rows(all).map { $0["test"] as? String } == [
        "pp8", "pp4", "tg3", "pg6+2", "pp8@d5", "pp4@d5", "tg3@d5", "pg6+2@d5",
      ])
    #expect(try rows(all).allSatisfy { $0["threads"] as? Int == 1 })
    #expect(try rows(report("-p", "0", "-n", "2", "-t", "2")).map { $0["test"] as? String } == ["tg2"])
    #expect(
      try rows(report("-p", "2", "-n", "2", "--sequences", "1,3", "--depth", "4")).map { $0["test"] as? String }
        == ["pp2@d4", "tg2@d4", "tg2x3@d4"])
    #expect(try rows(report("-p", "2", "-n", "0", "--threads", "2")).first?["threads"] as? Int == 2)
  }

  @Test(
    "figures are in order: slowest, median, fastest; percentiles; memory; the time to the first token of a mixed run")
  func figures() throws {
    let all = try report("-p", "16", "-n", "16", "--pg", "16,4", "-t", "1")
    for row in try rows(all) {
      let test = try #require(row["test"] as? String)
      let speeds = try ["tokens_per_second_min", "tokens_per_second", "tokens_per_second_max"].map {
        try #require(row[$0] as? Double, "\($0)")
      }
      #expect(speeds[0] > 0 && speeds == speeds.sorted(), "\(test) \(speeds)")
      let latency = row["token_ms"] as? [String: Double]
      #expect((latency == nil) == (test == "pp16"))
      if let latency {
        let values = try ["p50", "p95", "p99"].map { try #require(latency[$0]) }
        #expect(values[0] > 0 && values == values.sorted(), "\(test) \(values)")
      }
      #expect((row["ttft_ms"] is NSNull) == (test != "pg16+4"))
      #expect((row["bytes_per_token"] is NSNull) == (test == "pp16"))
      #expect((row["gb_per_second"] is NSNull) == (test == "pp16"))
    }
    let memory = try ["rss_mb", "peak_rss_mb", "loaded_rss_mb"].map { try #require(all[$0] as? Double) }
    #expect(memory[2] > 0 && memory[0] > 0 && memory[1] >= max(memory[0], memory[2]), "\(memory)")
    #expect(try #require(all["load_ms"] as? Double) > 0)
  }

  @Test(
    "bytes per token: the tensors without the embedding but one row, or with it where it is the output; and what is cached",
    arguments: [
      // Tensors, embedding and one row of it; 2 layers of keys and values of 3 heads of 16 halves, 2.5 seen on average.
      ("phi3-mha", "0", 271_296 - 61_440 + 192 + 2 * 2 * 3 * 16 * 2 * 5 / 2),
      // Tied. One head; 8 cached before, so 10.5 seen.
      ("llama-tied", "8", 115_328 + 2 * 2 * 1 * 16 * 2 * 21 / 2),
      // A window of 24, and more than that cached.
      ("phi3-window", "40", 156_288 - 40_960 + 128 + 2 * 2 * 1 * 16 * 2 * 24),
    ])
  func bytes(model: String, depth: String, expected: Int) throws {
    let row = try rows(report("-p", "0", "-n", "4", "-d", depth, model: Fixtures.path("models/\(model)/model.gguf")))[0]
    #expect(row["bytes_per_token"] as? Int == expected)
  }

  @Test("--compare: the ratio to the same test on as many threads; none where the earlier report has none")
  func compare() throws {
    let file = home.path + "/before.json"
    let earlier =
      #"{"model": "nano-v6.gguf (built in)", "kernels": "other", "rows": [{"test": "tg4", "threads": 1, "tokens_per_second": 0.5}]}"#
    try earlier.write(toFile: file, atomically: true, encoding: .utf8)
    let arguments = ["bench", "--json", "--model", "pet-nano", "-r", "1", "-p", "4", "-n", "4", "-t", "1"]
    let result = try PetBinary.run(arguments + ["--compare", file], home: home.path)
    #expect(result.error.contains("another kernels: other"), "\(result.error)")
    let rows = try rows(try #require(try result.json() as? [String: Any]))
    #expect(rows[0]["test"] as? String == "pp4" && rows[0]["compared"] is NSNull)
    let compared = try #require(rows[1]["compared"] as? [String: Double])
    #expect(compared["tokens_per_second"] == 0.5)
    let now = try #require(rows[1]["tokens_per_second"] as? Double)
    #expect(abs(try #require(compared["ratio"]) - now / 0.5) < 0.01)
    let table = try PetBinary.run(arguments.filter { $0 != "--json" } + ["--compare", file], home: home.path)
    #expect(table.output.contains("ratio") && table.output.contains("0.5"))

    // What one run writes, the next can read.
    try #require(result.status == 0)
    try result.output.write(toFile: file, atomically: true, encoding: .utf8)
    let again = try PetBinary.run(arguments + ["--compare", file], home: home.path)
    #expect(again.status == 0 && again.complaints == "", "\(again.error)")
    for other in ["{}", earlier.replacing("0.5", with: "1e-320"), earlier.replacing("0.5", with: "-1")] {
      try other.write(toFile: file, atomically: true, encoding: .utf8)
      let refused = try PetBinary.run(arguments + ["--compare", file], home: home.path)
      #expect(
        refused.status == 3 && refused.output == "" && refused.error.contains("pet bench --json"), "\(refused.error)")
    }
  }

  @Test("--parts: their times add up to a token's, and their bytes to what a token reads")
  func parts() throws {
    let all = try report("-p", "0", "-n", "8", "-t", "1", "--depth", "16", "--parts")
    let parts = try #require(all["parts"] as? [String: Any])
    #expect(parts["depth"] as? Int == 16 && parts["tokens"] as? Int == 8)
    let rows = try #require(parts["rows"] as? [[String: Any]])
    let names = rows.compactMap { $0["part"] as? String }
    #expect(Set(names).count == rows.count && names.last == "a token")
    let times = try rows.map { try #require($0["us_per_token"] as? Double) }
    #expect(times.allSatisfy { $0 >= 0 } && abs(times.dropLast().reduce(0, +) - times[times.count - 1]) < 1, "\(times)")
    for name in ["query, key, value", "attention", "gate, up, SwiGLU", "down", "output", "sampling"] {
      let row = try #require(rows.first { $0["part"] as? String == name })
      #expect(row["us_per_token"] as? Double != 0, "\(name)")
      #expect((row["gb_per_second"] is NSNull) == (name == "sampling"))
    }
    // Norms are read, too, but no part of their own.
    let read = try #require(rows.last?["bytes_per_token"] as? Int)
    let whole = try #require(try self.rows(all)[0]["bytes_per_token"] as? Int)
    #expect(read < whole && Double(read) > 0.99 * Double(whole))
  }

  @Test("--kv-cache q8_0 takes 34 bytes for 32 numbers, f16 64, f32 128")
  func cachePrecision() throws {
    let sizes = try ["q8_0", "f16", "f32"].map {
      try #require(
        try report("-p", "4", "-n", "0", "-c", "2048", "-t", "1", "--kv-cache", $0)["kv_cache_mb"] as? Double)
    }
    #expect(
      sizes[2] > 10 && abs(sizes[1] - sizes[2] / 2) < 0.1 && abs(sizes[0] - sizes[2] * 34 / 128) < 0.1, "\(sizes)")
  }

  @Test("what cannot be measured is refused")
  func refusals() throws {
    for arguments in [
      ["-p", "1,x"], ["-n", "x"], ["--pg", "5"], ["--pg", "0,5"], ["-d", "1,"], ["-r", "0"], ["-c", "0"],
      ["--kv-cache", "q3"],
    ] {
      let result = try PetBinary.run(["bench", "--model", "pet-nano"] + arguments, home: home.path)
      #expect(result.status == 2 && result.error.contains(arguments[1]), "\(arguments): \(result.error)")
    }
    let partless = try PetBinary.run(["bench", "--model", "pet-nano", "-n", "0", "--parts"], home: home.path)
    #expect(partless.status == 2 && partless.error.contains("--parts"), "\(partless.error)")
    for arguments in [["-p", "3000"], ["-d", "2000"], ["-c", "2049"], ["--pg", "2000,200"]] {
      let result = try PetBinary.run(["bench", "--model", "pet-nano"] + arguments, home: home.path)
      #expect(result.status == 3 && result.error.contains("2048"), "\(arguments): \(result.error)")
    }
  }

  @Test("on a terminal it shows how far it is", .enabled(if: PseudoTerminal.isAvailable))
  func progress() async throws {
    let terminal = try PseudoTerminal()
    let child = try SpawnedProcess(
      PetBinary.path, ["bench", "--model", "pet-nano", "-p", "0", "-n", "256", "-r", "1000", "-t", "1"],
      environment: ["PATH": "/usr/bin:/bin", "PET_HOME": home.path, "TERM": "xterm"],
      files: (terminal.line, terminal.line, terminal.line))
    try await terminal.wait(for: "% of 256256 tokens")
    kill(child.pid, SIGKILL)
    #expect(await child.waitBriefly() == -SIGKILL)
  }
}
