// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine

/// A camera and a microphone for minutes: 20 Hz pose, 10 Hz voice, 5 Hz face, and a chat beside them, in one runtime. Prints a
/// line of JSON every ten seconds, each response to how the models fare (a lower rate, a lower tier, and why), and at the end whether the
/// catalog's targets held.
///
/// usage: Soak EXAMPLES [SECONDS]
@main
struct Soak {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let examples = arguments.first else { fatalError("usage: Soak EXAMPLES [SECONDS]") }
    let seconds = arguments.count > 1 ? Double(arguments[1]) ?? 600 : 600
    func bytes(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: URL(filePath: examples).appending(path: name)))
    }
    let photo = try Picture(bytes("photo.jpg"))
    let sound = try Waveform(wav: bytes("talk.wav"))
    let environment = ProcessInfo.processInfo.environment
    let store = ModelStore(folder: try PetFolders(environment: environment).models, catalog: try .builtIn())
    let configuration = try Configuration(.init(flags: [.init(.classifierQuality, "high", name: "tier")]))
    let runtime = ModelRuntime(configuration)
    let record = Record(store.catalog)
    let classifiers = try await runtime.addClassifiers(configuration, in: store) { record.add($0) }
    let language = try await runtime.addLanguageModel(configuration, in: store).model
    let responder = PerformanceResponder(
      runtime,
      onDecision: { response in
        if response.decision.response != .keep { print(record.note(response)) }
      })
    for model in ["pose", "facial-expression", "vocal-affect", "parent-stress"] {
      await responder.setRole(.init(isOptional: true, isPeriodic: true), of: model)
    }
    let answering = Task { await responder.run() }
    defer { answering.cancel() }

    let end = ContinuousClock.now + .seconds(seconds)
    let nobody = try Picture(width: 320, height: 240, rgb: [UInt8](repeating: 90, count: 320 * 240 * 3))
    let listener = try VocalAffectListener(
      try await classifiers.affect.use { $0 }, format: SoundFormat(encoding: .float32, rate: Waveform.rate))
    let samples = sound.samples.flatMap { sample in
      (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // Who is filmed goes away now and then, so that the detector has to look again.
        try await Pace.run(every: 0.05, until: end, record, responder, "pose") { tick in
          _ = try await classifiers.pose(following: tick % 40 < 38 ? photo : nobody, at: Double(tick) / 20)
        }
      }
      group.addTask {
        try await Pace.run(every: 0.2, until: end, record, responder, "facial-expression") { tick in
          _ = try await classifiers.expression(tick % 10 < 9 ? photo : nobody)
        }
      }
      group.addTask {
        try await Pace.run(every: 0.1, until: end, record, responder, "vocal-affect") { tick in
          let start = tick * 6_400 % (samples.count - 6_400)
          listener.offer(Array(samples[start..<(start + 6_400)]))
          _ = try await classifiers.run(classifiers.affect) { _ in try await listener.next() }
        }
      }
      group.addTask {
        try await Pace.run(every: 5, until: end, record, responder, "parent-stress") { _ in
          _ = try await classifiers.stress(try StressSignals(["tired": 2, "happy": 1]))
        }
      }
      group.addTask { try await chat(language, until: end, record) }
      group.addTask {
        while ContinuousClock.now < end {
          try await Task.sleep(for: .seconds(10))
          print(record.line(resident: ResidentMemory.read().current))
        }
      }
      try await group.waitForAll()
    }
    print(record.summary(seconds: seconds, resident: ResidentMemory.read()))
  }

  /// Somebody who talks: a line, its reply, two seconds of thought.
  private static func chat(
    _ language: LazyModel<LanguageModel>, until end: ContinuousClock.Instant, _ record: Record
  ) async throws {
    var turn = 0
    while ContinuousClock.now < end {
      let start = ContinuousClock.now
      let tokens = try await language.use { model in
        let session = try LanguageModelSession(model: model, instructions: "You are a kind cat.")
        return try await session.respond(to: "Tell me of your day, part \(turn).", options: .greedy(maximumTokens: 40))
          .usage
          .completionTokens
      }
      record.addReply(tokens: tokens, time: ContinuousClock.now - start)
      turn += 1
      try await Task.sleep(for: .seconds(2))
    }
  }
}

/// Something that is due again and again, as often as the responder lets it. What it is too late for is left out and counted: the newest
/// wins.
enum Pace {
  static func run(
    every seconds: Double, until end: ContinuousClock.Instant, _ record: Record, _ responder: PerformanceResponder,
    _ model: String, _ body: (Int) async throws -> Void
  ) async throws {
    var due = ContinuousClock.now
    var tick = 0
    while ContinuousClock.now < end {
      var interval = seconds
      switch await responder.pace(of: model) {
      case .run(let rate):
        try await body(tick)
        interval = seconds / rate
      case .off: record.skip(model, 1)
      }
      tick += 1
      due += .seconds(interval)
      let late = Int(((ContinuousClock.now - due) / .seconds(interval)).rounded(.down))
      if late > 0 {
        record.skip(model, late)
        tick += late
        due += .seconds(Double(late) * interval)
      }
      try await Task.sleep(until: due, clock: .continuous)
    }
  }
}
