// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetEngine
import PlantedSocket
import Synchronization

/// What monitoring costs in one process, as one line of JSON: see ../monitors.py.
@main
enum MonitorCosts {
  struct Report: Encodable {
    /// Nanoseconds of one record: medians of batches, alone and with four threads at it.
    var recordNanoseconds = 0.0
    var recordNanosecondsOfFour = 0.0
    /// Microseconds of one look at the sockets of this process: where nothing is new, and a whole one.
    var briefLookMicroseconds = 0.0
    var wholeLookMicroseconds = 0.0
    /// Milliseconds from a socket's opening, while a model computes, to the badge's turning: each kind, each time.
    var badgeMilliseconds: [String: [Double]] = [:]
    /// Tokens per second of the processor with the monitors and without, in pairs.
    var observed: [Double] = []
    var bare: [Double] = []
  }

  static func main() async throws {
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20
    var report = Report()
    records(&report)
    looks(&report)
    badge(&report, times: min(rounds, 10))
    try await decoding(&report, rounds: rounds)
    print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  /// Of the processor, spent by this thread or by the whole process: what others do meanwhile does not count.
  private static func seconds(_ clock: clockid_t = CLOCK_THREAD_CPUTIME_ID, _ body: () -> Void) -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(clock, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    body()
    return now() - start
  }

  private static func records(_ report: inout Report) {
    let monitor = PerformanceMonitor()
    let recorder = monitor.recorder(for: "pose")
    monitor.setTargets(PerformanceTargets(latency: .milliseconds(50), memory: 1 << 20), for: "pose")
    let batch = 100_000
    @Sendable func run() {
      for number in 0..<batch {
        monitor.record(InferenceSample(latency: .microseconds(number & 0xffff), memory: 1 << 20), by: recorder)
      }
    }
    run()
    report.recordNanoseconds = median((0..<15).map { _ in seconds(CLOCK_THREAD_CPUTIME_ID, run) / Double(batch) * 1e9 })
    report.recordNanosecondsOfFour = median(
      (0..<5).map { _ in
        let ended = Atomic(0)
        let time = seconds(CLOCK_PROCESS_CPUTIME_ID) {
          for _ in 0..<4 {
            try? startThread {
              run()
              ended.add(1, ordering: .releasing)
            }
          }
          while ended.load(ordering: .acquiring) < 4 { usleep(200) }
        }
        return time / Double(batch * 4) * 1e9
      })
  }

  private static func looks(_ report: inout Report) {
    let monitor = PrivacyMonitor()
    _ = monitor.getPrivacyStatus()
    report.wholeLookMicroseconds = median((0..<200).map { _ in seconds { _ = monitor.getPrivacyStatus() } * 1e6 })
    // Both ends of an inference.
    report.briefLookMicroseconds = median(
      (0..<200).map { _ in
        seconds {
          monitor.inferenceBegan("pose")
          monitor.inferenceEnded("pose")
        } / 2 * 1e6
      })
  }

  private static func badge(_ report: inout Report, times: Int) {
    for kind in PlantedSocket.allCases {
      for _ in 0..<times {
        let monitor = PrivacyMonitor()
        monitor.inferenceBegan("pose")
        // Not at the same moment of the interval each time.
        usleep(UInt32.random(in: 0...250_000))
        let start = ContinuousClock.now
        guard let descriptor = kind.open() else { break }
        while monitor.violations.isEmpty, start.duration(to: .now) < .seconds(5) { usleep(500) }
        report.badgeMilliseconds[kind.rawValue, default: []].append(start.duration(to: .now) / .milliseconds(1))
        close(descriptor)
        monitor.inferenceEnded("pose")
      }
    }
  }

  /// The built-in model on one thread writes 256 tokens with its monitors, and without, in turn.
  private static func decoding(_ report: inout Report, rounds: Int) async throws {
    let runtime = ModelRuntime()
    var options = LanguageModel.LoadOptions(threadCount: 1)
    let bare = try LanguageModel.builtIn(options)
    options.observer = runtime.requestObserver(for: "nano")
    let observed = try LanguageModel.builtIn(options)
    /// By the processor's time of the whole process: one thread computes.
    func speed(_ model: LanguageModel) async throws -> Double {
      var generation = GenerationOptions.greedy(maximumTokens: 256)
      generation.stopsAtEnd = false
      // What repeats itself would be guessed, at speeds of its own.
      generation.speculates = false
      func spent() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
      }
      let start = spent()
      let count = try await model.complete("Once upon a time", generation).tokens.count
      return Double(count) / (spent() - start)
    }
    _ = try await (speed(bare), speed(observed))
    for round in 0..<rounds {
      if round % 2 == 0 {
        report.bare.append(try await speed(bare))
        report.observed.append(try await speed(observed))
      } else {
        report.observed.append(try await speed(observed))
        report.bare.append(try await speed(bare))
      }
    }
  }
}
