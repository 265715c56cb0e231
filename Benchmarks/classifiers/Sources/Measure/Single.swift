// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine

/// One classifier at one tier.
struct Single {
  private let name: String
  private let inputs: Inputs
  private let configuration: Configuration

  init(_ name: String, _ tier: String, _ inputs: Inputs) throws {
    self.name = name
    self.inputs = inputs
    configuration = try Configuration(.init(flags: [.init(.classifierQuality, tier, name: "tier")]))
  }

  func json(_ runs: Int) async throws -> String {
    let runtime = ModelRuntime(configuration)
    let classifiers = try await runtime.addClassifiers(configuration, in: currentStore())
    switch name {
    case "pose":
      return try await measure(classifiers.pose, runs) { model, _ in
        _ = try await classifiers.run(model) { try await $0.run { try $0.classify(inputs.photo) } }
      }
    case "film":
      return try await measure(classifiers.pose, runs) { model, index in
        let seconds = Double(index) / 20
        _ = try await classifiers.run(model) { try await $0.run { try $0.follow(inputs.photo, at: seconds) } }
      }
    case "facial-expression":
      return try await measure(classifiers.expression, runs) { model, _ in
        _ = try await classifiers.run(model) { try await $0.run { try $0.classify(inputs.photo) } }
      }
    case "vocal-affect":
      let listening = Listening(inputs.sound)
      return try await measure(classifiers.affect, runs) { model, _ in
        try await classifiers.run(model) { try await listening.next($0) }
      }
    case "parent-stress":
      return try await measure(classifiers.stress, runs) { model, _ in
        _ = try await classifiers.run(model) { try $0.assess(inputs.signals) }
      }
    default: fatalError("no classifier is called \(name)")
    }
  }

  private func measure<Model>(
    _ model: LazyModel<Model>, _ runs: Int, _ body: (LazyModel<Model>, Int) async throws -> Void
  ) async throws -> String {
    let clock = ContinuousClock()
    let before = resident()
    let load = try await clock.measure { try await model.load() }
    let first = try await clock.measure { try await body(model, 0) }
    var times: [Double] = []
    var processor: [Double] = []
    for index in 1...runs {
      let used = processorTime()
      times.append(milliseconds(try await clock.measure { try await body(model, index) }))
      processor.append(processorTime() - used)
    }
    processor.sort()
    let loaded = resident()
    let counted = await model.facts.bytes
    await model.unload()
    times.sort()
    func at(_ part: Double) -> Double { times[max(0, Int((Double(times.count) * part).rounded(.up)) - 1)] }
    return text([
      "load_ms": milliseconds(load), "first_ms": milliseconds(first), "p50_ms": at(0.5), "p95_ms": at(0.95),
      "p99_ms": at(0.99), "processor_p50_ms": processor[processor.count / 2], "resident_mb": loaded - before,
      "left_mb": resident() - before,
      "counted_mb": Double(counted) / 1e6, "runs": Double(runs),
    ])
  }
}

/// A voice that goes on and on: each step hears what lies between two judgements, and judges the last three seconds.
actor Listening {
  private let samples: [UInt8]
  private var stream: VocalAffectStream?
  private var place = 0

  init(_ sound: Waveform) {
    samples = sound.samples.flatMap { sample in
      (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) }
    }
  }

  func next(_ classifier: VocalAffectClassifier) throws {
    if stream == nil {
      var stream = try VocalAffectStream(classifier, format: SoundFormat(encoding: .float32, rate: Waveform.rate))
      // From the first measured step on it looks back on whole three seconds.
      let all = samples
      _ = try stream.hear(all.span.bytes)
      self.stream = consume stream
    }
    let count = Waveform.rate / classifier.rate * 4
    if place + count > samples.count { place = 0 }
    let piece = Array(samples[place..<(place + count)])
    place += count
    guard try stream?.hear(piece.span.bytes) != nil else { fatalError("it was time to judge") }
  }
}
