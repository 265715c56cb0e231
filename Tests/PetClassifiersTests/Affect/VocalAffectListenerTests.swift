// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

import PetClassifiers

@Suite(.timeLimit(.minutes(2))) struct VocalAffectListenerTests {
  private static let format = "mulaw:16000"

  private func listener(_ quality: ModelQuality = .low) throws -> VocalAffectListener {
    try VocalAffectListener(
      try VocalAffectClassifier(try AffectGoldens.weights(), quality: quality),
      format: try SoundFormat(text: Self.format))
  }

  /// The clip without its header.
  private func samples() throws -> [UInt8] { Array(try AffectGoldens.bytes("people-0930").dropFirst(58)) }

  @Test func soundIsJudgedAsItComes() async throws {
    let listener = try listener()
    let clip = try samples()
    var heard = 0
    // Half a second in pieces that are no whole anything.
    for start in stride(from: 0, to: 24_000, by: 777) { listener.offer(Array(clip[start..<(start + 777)])) }
    let first = try #require(try await listener.next())
    if case .affect = first { heard += 1 }
    listener.offer(Array(clip.prefix(16_000)))
    if case .affect? = try await listener.next() { heard += 1 }
    #expect(heard == 2)
    #expect(listener.counts.dropped == 0)
    listener.finish()
    #expect(try await listener.next() == nil)
  }

  @Test func whoIsTooSlowGetsTheNewestAndIsToldOfTheRest() async throws {
    let listener = try listener()
    let second = [UInt8](repeating: 0xFF, count: 16_000)
    for _ in 0..<10 { listener.offer(second) }
    let kept = VocalAffectListener.patience * 16_000
    #expect(listener.counts.offered == 160_000 && listener.counts.dropped == 160_000 - kept)
    // Two seconds, judged once: the newest.
    guard case .noSpeech? = try await listener.next() else {
      Issue.record("silence is no speech")
      return
    }
    listener.finish()
    listener.offer(second)
    #expect(listener.counts.dropped == 160_000 - kept + 16_000)
  }

  @Test func whoWaitsIsWoken() async throws {
    let listener = try listener()
    let waiting = Task { try await listener.next() }
    try await Task.sleep(for: .milliseconds(20))
    listener.offer([UInt8](repeating: 0xFF, count: 8_000))
    #expect(try await waiting.value != nil)
    let cancelled = Task { try await listener.next() }
    try await Task.sleep(for: .milliseconds(20))
    cancelled.cancel()
    #expect(try await cancelled.value == nil)
  }

  @Test func framesStayWholeWhatIsDropped() async throws {
    // 16-bit samples of one value; were a frame cut in two, other values would appear.
    let listener = try VocalAffectListener(
      try VocalAffectClassifier(try AffectGoldens.weights(), quality: .low),
      format: try SoundFormat(text: "f32le:16000"))
    var tone: [UInt8] = []
    for _ in 0..<16_001 { tone += [0, 0, 0, 0x3F] }
    for start in stride(from: 0, to: tone.count - 3, by: 4_095) {
      listener.offer(Array(tone[start..<min(start + 4_095, tone.count)]))
    }
    for _ in 0..<3 { listener.offer(Array(tone.prefix(64_000))) }
    // 0.5 in every sample: anything else would be out of range, or no number.
    #expect(try await listener.next() != nil)
  }
}
