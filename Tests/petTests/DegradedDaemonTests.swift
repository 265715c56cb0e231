// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

/// petd on a machine whose heat the test makes up.
@Suite("petd goes over to a smaller model")
struct DegradedDaemonTests {
  private static let model = "pet-135m"

  /// A home in which the default model of `phone` is installed: the built-in one, filled up to the size that the catalog promises.
  private static func home() throws -> TemporaryHome {
    let home = try TemporaryHome()
    let models = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "Models")
    let catalog = try JSONSerialization.jsonObject(with: Data(contentsOf: models.appending(path: "catalog.json")))
    let entries = try #require((catalog as? [String: Any])?["models"] as? [[String: Any]])
    let files = entries.first { $0["name"] as? String == model }?["files"] as? [String: [String: Any]]
    let (name, size) = try (
      #require(files?["high"]?["name"] as? String), #require(files?["high"]?["bytes"] as? Int)
    )
    let folder = home.path + "/models/" + model
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: models.appending(path: "nano-v6.gguf").path, toPath: "\(folder)/\(name)")
    #expect(truncate("\(folder)/\(name)", size) == 0)
    return home
  }

  private static func device(degrees: Int, in home: TemporaryHome) throws -> String {
    let zone = home.path + "/device/sys/class/thermal/thermal_zone0"
    try FileManager.default.createDirectory(atPath: zone, withIntermediateDirectories: true)
    for (name, text) in [
      ("type", "cpu"), ("temp", "\(degrees)000"), ("trip_point_0_type", "passive"), ("trip_point_0_temp", "85000"),
    ] {
      try (text + "\n").write(toFile: "\(zone)/\(name)", atomically: true, encoding: .utf8)
    }
    return home.path + "/device"
  }

  private static let question =
    #"{"messages": [{"role": "user", "content": "a kettle"}], "max_tokens": 4, "temperature": 0}"#

  @Test("when it is hot, and says so in every answer, in /health, /v1/models and pet top; embeddings are refused")
  func heat() async throws {
    let home = try Self.home()
    let daemon = try await RunningDaemon(
      ["--profile", "phone", "--device-root", try Self.device(degrees: 90, in: home)], in: home)
    let first = try await daemon.post("/v1/chat/completions", Self.question)
    #expect(
      first.contains(#""model":"pet-135m""#) && first.contains(#""system_fingerprint":"pet-135m/high""#), "\(first)")
    try await daemon.wait(for: "smaller variant")
    let health = try await daemon.get("/health")
    #expect(health.contains(#""status":"degraded""#) && health.contains(#""model":"pet-nano""#), "\(health)")
    #expect(health.contains(#""degraded":{"from":"pet-135m","reason":"it is hot"}"#), "\(health)")
    let models = try await daemon.get("/v1/models")
    #expect(models.contains(#""answered_by":"pet-nano""#) && models.contains(#""id":"pet-135m""#), "\(models)")
    let second = try await daemon.post("/v1/chat/completions", Self.question)
    #expect(second.contains(#""model":"pet-nano""#) && second.contains("pet-nano/low"), "\(second)")
    let vectors = try await daemon.post("/v1/embeddings", #"{"model": "pet-135m", "input": "tea"}"#)
    #expect(vectors.hasPrefix("HTTP/1.1 503") && vectors.contains("model_degraded"), "\(vectors)")
    #expect(try await daemon.get("/metrics").contains("pet_model_degraded{model=\"pet-135m\"} 1.0"))
    let top = try PetBinary.run(["top", "--once"], home: home.path)
    #expect(top.output.contains("pet-nano (low)") && top.output.contains("stands in for pet-135m: it is hot"), "\(top)")
    // The same in a conversation that petd leads.
    let chat = try PetBinary.run(
      ["chat", "--json"], home: home.path, input: "Your kettle has a lid of brass.\n")
    #expect(chat.output.contains(#""from":"pet-135m""#) && chat.output.contains("it is hot"), "\(chat)")
    let plain = try PetBinary.run(["chat"], home: home.path, input: "Your kettle has a lid of brass.\n")
    #expect(plain.error.contains("(a smaller model answers for pet-135m: it is hot)"), "\(plain)")
  }

  @Test("in pet chat too, from one turn to the next")
  func chat() throws {
    let home = try Self.home()
    let device = try Self.device(degrees: 90, in: home)
    let lines = (1...4).map { "Chair number \($0) is blue.\n" }.joined()
    let result = try PetBinary.run(
      ["chat", "--profile", "phone", "--device-root", device, "--incognito", "--model-only", "--json", "--seed", "1"],
      home: home.path, input: lines)
    let turns = try result.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(turns.count == 4 && turns.first?["model"] as? String == "pet-135m", "\(result)")
    let last = try #require(turns.last)
    #expect(last["model"] as? String == "pet-nano" && last["tier"] as? String == "low")
    #expect((last["degraded"] as? [String: String]) == ["from": "pet-135m", "reason": "it is hot"])
  }
}
