// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import Synchronization

/// What happened, by model.
final class Record: Sendable {
  private struct Row {
    var times: [Double] = []
    var skipped = 0
    var failed = 0
    var versions: Set<String> = []
  }

  private struct State {
    var rows: [String: Row] = [:]
    /// To how it fares, by model.
    var responses: [String: Int] = [:]
    var tokens = 0
    var talking = 0.0
    var shown = 0
  }

  private let targets: [String: LatencyTargets]
  private let state = Mutex(State())

  init(_ catalog: Catalog) {
    targets = Dictionary(
      uniqueKeysWithValues: catalog.models.compactMap { model in model.latency.map { (model.name, $0) } })
  }

  func add(_ inference: Inference) {
    state.withLock { state in
      var row = state.rows[inference.model] ?? Row()
      row.times.append(inference.latency / .milliseconds(1))
      row.versions.insert(inference.version)
      if !inference.succeeded { row.failed += 1 }
      state.rows[inference.model] = row
    }
  }

  /// A response as a line of JSON; it is counted for the summary.
  func note(_ response: PerformanceResponder.Record) -> String {
    struct Line: Encodable {
      let model, response, reason: String
    }
    state.withLock { $0.responses[response.model, default: 0] += 1 }
    return text(
      Line(model: response.model, response: "\(response.decision.response)", reason: "\(response.decision.reason)"))
  }

  func skip(_ model: String, _ count: Int) {
    guard count > 0 else { return }
    state.withLock { $0.rows[model, default: Row()].skipped += count }
  }

  func addReply(tokens: Int, time: Duration) {
    state.withLock { state in
      state.tokens += tokens
      state.talking += time / .seconds(1)
    }
  }

  private struct Figures: Encodable {
    let count: Int
    let skipped: Int
    let failed: Int
    let p50: Double
    let p95: Double
    let p99: Double
    let held: Bool
    let versions: [String]

    init(_ row: Row, _ target: LatencyTargets?) {
      let sorted = row.times.sorted()
      func at(_ part: Double) -> Double {
        sorted.isEmpty ? 0 : (sorted[max(0, Int((Double(sorted.count) * part).rounded(.up)) - 1)] * 100).rounded() / 100
      }
      (count, skipped, failed) = (sorted.count, row.skipped, row.failed)
      (p50, p95, p99) = (at(0.5), at(0.95), at(0.99))
      held = target.map { at(0.5) <= $0.p50 && at(0.95) <= $0.p95 && at(0.99) <= $0.p99 } ?? true
      versions = row.versions.sorted()
    }
  }

  private struct Line: Encodable {
    let models: [String: Figures]
    let responses: [String: Int]
    let tokensPerSecond: Double
    let residentMB: Double
    var peakMB: Double?
    var seconds: Double?

    enum CodingKeys: String, CodingKey {
      case models, responses, seconds
      case tokensPerSecond = "tokens_per_second"
      case residentMB = "resident_mb"
      case peakMB = "peak_mb"
    }
  }

  func line(resident: UInt64) -> String { text(current(resident)) }

  func summary(seconds: Double, resident: ResidentMemory) -> String {
    var line = current(resident.current)
    line.peakMB = Double(resident.peak / 100_000) / 10
    line.seconds = seconds
    return text(line)
  }

  private func current(_ resident: UInt64) -> Line {
    let state = state.withLock { $0 }
    let models = Dictionary(uniqueKeysWithValues: state.rows.map { ($0.key, Figures($0.value, targets[$0.key])) })
    let speed = state.talking > 0 ? Double(state.tokens) / state.talking : 0
    return Line(
      models: models, responses: state.responses, tokensPerSecond: (speed * 10).rounded() / 10,
      residentMB: Double(resident / 100_000) / 10)
  }

  private func text(_ line: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
