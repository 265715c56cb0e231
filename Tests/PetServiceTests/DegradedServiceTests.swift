// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import PetService
import Synchronization
import Testing

/// A model of two sizes, on a device whose battery and heat the test sets.
@Suite("A daemon that goes over to a smaller model", .timeLimit(.minutes(1)))
struct DegradedServiceTests {
  private final class Device: Sendable {
    let path = URL.temporaryDirectory.appending(path: "device-\(UInt64.random(in: 0 ... .max))").path
    private let now = Mutex(Duration.zero)

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var time: @Sendable () -> Duration { { [self] in now.withLock { $0 } } }
    func wait(_ time: Duration) { now.withLock { $0 += time } }

    func write(_ file: String, _ text: String) throws {
      let url = URL(filePath: path + "/" + file)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data((text + "\n").utf8).write(to: url)
    }

    func setBattery(isOnMains: Bool, capacity: Int = 80) throws {
      try write("sys/class/power_supply/BAT0/type", "Battery")
      try write("sys/class/power_supply/BAT0/capacity", "\(capacity)")
      try write("sys/class/power_supply/BAT0/status", isOnMains ? "Charging" : "Discharging")
      try write("sys/class/power_supply/AC/type", "Mains")
      try write("sys/class/power_supply/AC/online", isOnMains ? "1" : "0")
    }
  }

  private static func service(_ device: Device) async throws -> TestService {
    func loader(_ location: ModelLocation, _ name: String, _ tier: String) throws -> ModelLoader<LanguageModel> {
      var options = LanguageModel.LoadOptions(threadCount: 1, contextLength: 256)
      options.identity = ModelIdentity(name: name, tier: tier)
      return try .language(location, options)
    }
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/models/phi3-mha/model.gguf").path
    return try await TestService(
      loader: loader(.builtIn(name: "nano-v6.gguf"), "pet-nano", "high"),
      smaller: [loader(.file(path: fixture), "tiny", "low")], device: device.path, time: device.time)
  }

  /// Each as long as a long reply of a slow machine: together half of a battery, by the estimate.
  private static func chat(_ service: TestService, _ device: Device) async {
    for _ in 0..<25 {
      service.models.runtime.performance.record(
        InferenceSample(latency: .milliseconds(10), busy: .seconds(6)), of: "pet-nano")
      device.wait(.seconds(6))
      await service.responder?.respond(to: "pet-nano")
    }
  }

  private static func width(_ service: TestService, _ model: String) async throws -> Int? {
    let answer = try await service.ask(.POST, "/v1/embeddings", #"{"model": "\#(model)", "input": "tea"}"#)
    guard answer.status == 200 else { return nil }
    return try JSONNode.object(answer.text)["data"]?.items.first?["embedding"]?.items.count
  }

  private static let question =
    #"{"messages": [{"role": "user", "content": "a kettle"}], "max_tokens": 4, "temperature": 0}"#

  @Test("without a battery 25 long chats change nothing, on the mains neither")
  func noBattery() async throws {
    for hasBattery in [false, true] {
      let device = Device()
      if hasBattery { try device.setBattery(isOnMains: true) }
      let service = try await Self.service(device)
      defer { service.remove() }
      let width = try await Self.width(service, "pet-nano")
      await Self.chat(service, device)
      #expect(await service.responder?.records.isEmpty == true)
      #expect(service.models.runtime.performance.activeAlerts.isEmpty)
      #expect(try await Self.width(service, "pet-nano") == width && width != nil)
      #expect(try await service.ask(.GET, "/health").text.contains(#""status":"ready""#))
    }
  }

  @Test("on a battery it goes over, says so on every door, refuses embeddings, and comes back by itself on the mains")
  func battery() async throws {
    let device = Device()
    try device.setBattery(isOnMains: false)
    let service = try await Self.service(device)
    defer { service.remove() }
    let width = try #require(try await Self.width(service, "default"))
    await Self.chat(service, device)
    let decisions = try #require(await service.responder?.records)
    #expect(decisions.first?.decision.response == .degrade)
    #expect(decisions.first?.decision.reason.contains("battery") == true)

    let health = try JSONNode.object(try await service.ask(.GET, "/health").text)
    #expect(health["status"]?.text == "degraded" && health["model"]?.text == "tiny")
    #expect(health["degraded"]?["from"]?.text == "pet-nano" && health["reason"]?.text?.contains("battery") == true)
    let models = try JSONNode.object(try await service.ask(.GET, "/v1/models").text)["data"]?.items ?? []
    #expect(models.map { $0["id"]?.text } == ["pet-nano", "tiny"] && models.first?["answered_by"]?.text == "tiny")
    #expect(try await service.ask(.GET, "/metrics").text.contains("pet_model_degraded{model=\"pet-nano\"} 1.0"))
    let figures = try JSONNode.object(try await service.ask(.GET, "/pet/figures").text)["model"]
    #expect(figures?["name"]?.text == "tiny" && figures?["degraded"]?["from"]?.text == "pet-nano")

    for stream in ["", #", "stream": true"#] {
      let answer = try await service.ask(.POST, "/v1/chat/completions", Self.question.dropLast() + stream + "}")
      #expect(answer.text.contains(#""model":"tiny""#) && answer.text.contains(#""system_fingerprint":"tiny/low""#))
      #expect(!answer.text.contains("pet-nano"), "\(answer.text)")
    }
    let raw = try await service.ask(.POST, "/pet/completions", #"{"prompt": "a", "max_tokens": 2}"#).text
    #expect(try JSONNode.object(raw)["model"]?.text == "tiny")
    let refused = try await service.respond(.POST, "/v1/embeddings", #"{"model": "pet-nano", "input": "tea"}"#)
    #expect(refused.status.code == 503 && refused.headers.first(name: "retry-after") == "60")
    #expect(try await Self.width(service, "default") == nil)
    // By its own name it may be asked.
    let other = try #require(try await Self.width(service, "tiny"))
    #expect(other != width)

    try device.setBattery(isOnMains: true)
    for _ in 0..<30 {
      device.wait(.seconds(5))
      service.models.runtime.performance.record(InferenceSample(latency: .milliseconds(1)), of: "pet-nano")
      await service.responder?.respond(to: "pet-nano")
    }
    let back = try JSONNode.object(try await service.ask(.GET, "/health").text)
    #expect(back["status"]?.text == "ready" && back["model"]?.text == "pet-nano")
    #expect(back["degraded"] != nil && back["degraded"]?["from"] == nil && back["notices"]?.items.isEmpty == true)
    #expect(try await Self.width(service, "pet-nano") == width)
    #expect(try await service.ask(.GET, "/metrics").text.contains("pet_model_degraded{model=\"pet-nano\"} 0.0"))
    #expect(try await service.ask(.POST, "/v1/chat/completions", Self.question).text.contains(#""model":"pet-nano""#))
  }

  @Test("another model in the place of one that was stepped down is the best there is")
  func swap() async throws {
    let device = Device()
    let service = try await Self.service(device)
    defer { service.remove() }
    try await service.models.language.load()
    _ = await service.models.language.degrade(because: "it was tried")
    #expect(try await service.ask(.GET, "/health").text.contains("it was tried"))
    #expect(try await service.ask(.POST, "/pet/models/swap", #"{"model": "pet-nano"}"#).status == 200)
    #expect(await !service.models.language.restore())
    let answer = try await service.ask(.POST, "/v1/chat/completions", Self.question)
    #expect(answer.text.contains(#""model":"pet-nano""#), "\(answer.text)")
    #expect(try await service.ask(.GET, "/health").text.contains(#""status":"ready""#))
  }

  @Test("a classifier that nobody waits for is not loaded where classifiers.optional is off")
  func optional() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let moods = "calm,3\nhappy,2\n"
    let refused = try await service.ask(.POST, "/pet/classify/stress?optional=true", moods)
    #expect(refused.status == 409 && refused.text.contains("classifiers.optional is off"), "\(refused.text)")
    #expect(await !service.models.classifiers.stress.isLoaded)
    #expect(try await service.ask(.POST, "/pet/classify/stress?optional=perhaps", moods).status == 400)
    // Who waits is answered, whatever the setting says.
    _ = try await service.ask(.POST, "/pet/classify/stress?optional=false", moods)
    #expect(await service.models.classifiers.stress.isLoaded)
  }
}
