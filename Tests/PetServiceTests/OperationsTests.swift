// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOCore
import PetAPI
import PetEngine
import PetService
import Synchronization
import Testing

@Suite("Looking after a daemon")
struct OperationsTests {
  @Test("models are loaded with progress, unloaded, and replaced by name; their state is told")
  func models() async throws {
    let service = try await TestService()
    defer { service.remove() }
    func state() async throws -> String? {
      try JSONNode.object(try await service.ask(.GET, "/pet/models").text)["data"]?.items.first {
        $0["name"]?.text == "pet-nano"
      }?["state"]?.text
    }
    #expect(try await state() == "notLoaded")
    let events = try await service.ask(.POST, "/pet/models/load", headers: ["accept": "text/event-stream"]).text
    #expect(events.contains(#"{"progress":"#) && events.hasSuffix("data: {\"state\":\"loaded\"}\n\n"), "\(events)")
    #expect(try await state() == "loaded")
    #expect(try await service.ask(.POST, "/pet/models/unload").status == 200)
    #expect(try await state() == "notLoaded")
    #expect(try await service.ask(.POST, "/pet/models/load").text.contains(#""state":"loaded""#))
    let before = await service.models.language.loadedVersion
    let swapped = try await service.ask(.POST, "/pet/models/swap", #"{"model": "pet-nano"}"#)
    #expect(swapped.status == 200 && swapped.text.contains(#""name":"pet-nano""#), "\(swapped.text)")
    let length = try await service.models.language.use { $0.contextLength }
    #expect(length == 256, "\(before ?? "-")")
    for other in ["/etc/passwd", "../x", "smollm2-135m-instruct", ""] {
      #expect(try await service.ask(.POST, "/pet/models/swap", #"{"model": "\#(other)"}"#).status == 404)
    }
  }

  @Test("the events of a load that follows one that failed are its own")
  func loadsAgain() async throws {
    struct Broken: Error {}
    let hasFailed = Mutex(false)
    let whole: ModelLoader<LanguageModel> = try .language(
      .builtIn(name: "nano-v6.gguf"), .init(threadCount: 1, contextLength: 512))
    var loader = whole
    loader.load = { progress in
      let isFirst = hasFailed.withLock { hasFailed in
        defer { hasFailed = true }
        return !hasFailed
      }
      if isFirst { throw Broken() }
      return try await whole.load(progress)
    }
    let service = try await TestService(loader: loader)
    defer { service.remove() }
    #expect(try await service.ask(.POST, "/pet/models/load").status == 503)
    let events = try await service.ask(.POST, "/pet/models/load", headers: ["accept": "text/event-stream"]).text
    #expect(events.hasSuffix("data: {\"state\":\"loaded\"}\n\n") && !events.contains("failed"), "\(events)")
  }

  @Test("the events of a load that is called off come to their end", .timeLimit(.minutes(1)))
  func calledOff() async throws {
    let loader = ModelLoader<LanguageModel>(version: "1", bytes: 1) { _ in
      try await Task.sleep(for: .seconds(600))
      throw CancellationError()
    }
    let service = try await TestService(loader: loader)
    defer { service.remove() }
    let response = try await service.respond(.POST, "/pet/models/load", headers: ["accept": "text/event-stream"])
    guard case .stream(let write) = response.body else {
      Issue.record("no events")
      return
    }
    let text = Mutex("")
    try await write(
      ResponseWriter { piece in
        let event = String(buffer: piece)
        text.withLock { $0 += event }
        if event.contains("loading") { _ = try await service.ask(.POST, "/pet/models/unload") }
      })
    let events = text.withLock { $0 }
    #expect(events.hasSuffix("data: {\"state\":\"notLoaded\"}\n\n") && events.contains("loading"), "\(events)")
  }

  @Test("to the background and back, and when memory is short")
  func lifecycle() async throws {
    let service = try await TestService()
    defer { service.remove() }
    func isLoaded() async -> Bool { await service.models.language.isLoaded }
    try await service.models.language.load()
    #expect(try await service.ask(.POST, "/pet/lifecycle", #"{"event": "background"}"#).status == 200)
    #expect(await !isLoaded())
    #expect(try await service.ask(.POST, "/pet/lifecycle", #"{"event": "active"}"#).status == 200)
    try await service.models.language.load()
    #expect(try await service.ask(.POST, "/pet/lifecycle", #"{"event": "memory-warning"}"#).status == 200)
    #expect(await !isLoaded())
    #expect(try await service.ask(.POST, "/pet/lifecycle", #"{"event": "party"}"#).status == 400)
  }

  @Test("who asks too often is told when to ask again; health and figures are always told")
  func rates() async throws {
    let service = try await TestService(rateLimit: RateLimit(perMinute: 3))
    defer { service.remove() }
    for _ in 0..<3 { #expect(try await service.ask(.GET, "/v1/models").status == 200) }
    let refused = try await service.respond(.GET, "/v1/models")
    #expect(refused.status.code == 429 && refused.headers.first(name: "retry-after").flatMap(Int.init) == 20)
    #expect(try await service.ask(.GET, "/health").status == 200)
    #expect(try await service.ask(.GET, "/metrics").status == 200)
    // Another client has its own.
    #expect(try await service.ask(.GET, "/v1/models", user: 0).status == 200)
  }

  @Test("the bucket fills steadily, and no further than it is large")
  func bucket() {
    let limit = RateLimit(perMinute: 60)
    var bucket: RateLimit.Bucket?
    for _ in 0..<60 { #expect(limit.decide(&bucket, at: 0) == .allowed) }
    #expect(limit.decide(&bucket, at: 0.5) == .refused(retryAfter: 1))
    #expect(limit.decide(&bucket, at: 1) == .allowed)
    #expect(limit.decide(&bucket, at: 1) == .refused(retryAfter: 1))
    // A clock that goes back changes nothing.
    #expect(limit.decide(&bucket, at: -1e9) == .refused(retryAfter: 1))
    for _ in 0..<60 { #expect(limit.decide(&bucket, at: 1e9) == .allowed) }
    #expect(limit.decide(&bucket, at: 1e9) == .refused(retryAfter: 1))
  }

  @Test(
    "the page is for whoever comes under this machine's name, brings nothing from elsewhere, and shows nothing itself")
  func dashboard() async throws {
    let service = try await TestService()
    defer { service.remove() }
    let host = ("host", "localhost:80")
    for (path, type) in [("", "text/html"), (".css", "text/css"), (".js", "text/javascript")] {
      let page = try await service.respond(
        .GET, "/dashboard\(path)", headers: [host.0: host.1], transport: .loopback(port: 80))
      #expect(page.status.code == 200 && page.headers.first(name: "content-type")?.hasPrefix(type) == true)
      let policy = page.headers.first(name: "content-security-policy") ?? ""
      #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe") && !policy.contains("http"))
      guard case .bytes(let bytes) = page.body else { continue }
      let text = String(buffer: bytes)
      #expect(text.count > 1000 && text.firstMatch(of: #/https?://(?!www\.w3\.org/)/#) == nil)
    }
    let events = try await service.respond(
      .GET, "/dashboard/events", headers: [host.0: host.1], transport: .loopback(port: 80))
    #expect(events.status.code == 401)
    let foreign = try await service.respond(
      .GET, "/dashboard", headers: ["host": "evil.example"], transport: .loopback(port: 80))
    #expect(foreign.status.code == 403)
  }

  @Test("figures: what serves, how fast, in how much memory")
  func figures() async throws {
    let service = try await TestService()
    defer { service.remove() }
    _ = try await service.say("Your kettle has a lid of brass.", in: "mochi.tea")
    // The engine counts for the whole process; here it counts by itself.
    let metrics = service.metrics
    for (kind, count) in [("prompt", 40), ("cached", 30)] {
      metrics.makeCounter(label: "pet_tokens_total", dimensions: [("model", "nano-v6"), ("kind", kind)])
        .increment(by: Int64(count))
    }
    // A model that the test adds has no observer.
    service.models.runtime.performance.setTargets(PerformanceTargets(latency: .milliseconds(50)), for: "pet-nano")
    for _ in 0..<20 {
      service.models.runtime.performance.record(
        InferenceSample(latency: .milliseconds(120), busy: .seconds(1), memory: 20 << 20), of: "pet-nano")
    }
    try await Task.sleep(for: .milliseconds(1100))
    service.models.runtime.performance.record(InferenceSample(latency: .milliseconds(120)), of: "pet-nano")
    let figures = try JSONDecoder().decode(
      Figures.self, from: Data(try await service.ask(.GET, "/pet/figures").text.utf8))
    #expect(figures.model.name == "pet-nano" && figures.model.isLoaded && figures.device.cores > 0)
    #expect(figures.memory.resident > 10 && figures.memory.budget == 500 && figures.pets == 1)
    #expect(figures.privacy.detail.contains("Unix"))
    #expect(figures.cache.prefixRate == 0.75 && abs(figures.battery.percentPerHalfHour - 6.04) < 0.01)
    let latency = try #require(figures.latency.first)
    #expect(figures.latency.count == 1 && latency.model == "pet-nano" && latency.count == 21 && latency.compliance == 0)
    let p50 = try #require(latency.p50)
    #expect(abs(p50 - 120) < 2 && latency.target == 50 && latency.memory == 20)
    // Memory is that of all tests together, which may be much.
    let alerts = figures.alerts.map(\.kind).filter { !$0.hasSuffix("memory") }
    #expect(alerts.sorted() == ["critical compliance", "critical latency"])
    #expect(figures.battery.source == EnergyMeter().read(at: .zero).source.rawValue && figures.responses.isEmpty)
    // The same each second, for as long as somebody looks.
    struct Enough: Error {}
    let response = try await service.respond(.GET, "/dashboard/events")
    guard case .stream(let write) = response.body else { throw Enough() }
    let count = Mutex(0)
    await #expect(throws: (any Error).self) {
      try await write(
        ResponseWriter { piece in
          #expect(String(buffer: piece).hasPrefix("event: figures\ndata: {"))
          if count.withLock({
            $0 += 1
            return $0 == 2
          }) {
            throw Enough()
          }
        })
    }
  }

  @Test(
    "what a person should look at",
    arguments: [(50.0, "observed", 0), (700, "enforced", 1), (700, "failed", 2)])
  func findings(_ resident: Double, _ privacy: String, _ count: Int) throws {
    let json = """
      {"uptime_s": 1, "model": {"name": "m", "loaded": true}, "latency": [], "device": {"cpu": "c", "cores": 1, "memory_mb": 1, "instruction_sets": [], "profile": "phone"},
       "tokens_per_second": [], "memory": {"resident_mb": \(resident), "budget_mb": 500}, "battery": {"percent_per_half_hour": 0, "source": "unavailable"}, "cache": {},
       "requests": 0, "connections": 0, "pets": 0, "alerts": [], "responses": [],
       "privacy": {"state": "\(privacy)", "badge": "", "detail": ""}}
      """
    let figures = try JSONDecoder().decode(Figures.self, from: Data(json.utf8))
    #expect(figures.findings.count == count)
  }
}
