// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("What a pet notices in its person")
struct PerceptionTests {
  private static let now: Int64 = 1_700_000_000

  private static func seen(
    _ source: Observation.Source, _ label: String, _ confidence: Double, ago: Int64 = 0
  ) throws -> Observation {
    try Observation(source: source, label: label, confidence: confidence, seconds: now - ago)
  }

  @Test(
    "what is sure enough becomes a line",
    arguments: [
      (Observation.Source.face, "sad", "user looks sad"), (.voice, "Tense", "user sounds tense"),
      (.pose, "tired", "user seems tired"), (.stress, "afraid", "user seems scared"),
    ])
  func lines(_ source: Observation.Source, _ label: String, _ line: String) throws {
    let perception = Perception().adding(try Self.seen(source, label, 0.9))
    #expect(perception.line(at: Self.now) == line)
    #expect(Perception().adding(try Self.seen(source, label, 0.49)) == Perception())
  }

  @Test("it fades, and stays faded")
  func fading() throws {
    for source in Observation.Source.allCases {
      let perception = Perception().adding(try Self.seen(source, "sad", 1))
      let silent = (Int64(0)...3600).map { perception.feeling(at: Self.now + $0) == nil }
      #expect(silent.drop { !$0 }.allSatisfy { $0 } && silent.last == true)
      #expect(perception.feeling(at: Self.now + 30) == .sad)
      #expect(perception.influence(at: Self.now + 3600) == PetInfluence())
    }
  }

  @Test("signs that contradict each other say nothing; the surer one wins where it is much surer")
  func conflict() throws {
    let face = Perception().adding(try Self.seen(.face, "happy", 0.8))
    #expect(face.adding(try Self.seen(.voice, "sad", 0.8)).line(at: Self.now) == nil)
    #expect(face.adding(try Self.seen(.voice, "sad", 0.55)).feeling(at: Self.now) == .happy)
    let both = face.adding(try Self.seen(.voice, "sad", 0.8)).adding(try Self.seen(.stress, "sad", 0.7))
    #expect(both.line(at: Self.now) == "user sounds sad")
    // The later word of one source weighs more than its earlier one.
    let changed = Perception().adding(try Self.seen(.face, "sad", 0.9, ago: 240)).adding(
      try Self.seen(.face, "happy", 0.9))
    #expect(changed.feeling(at: Self.now) == .happy)
  }

  @Test("a confidence that is none, and a label that is no feeling, are refused")
  func refused() throws {
    for confidence in [Double.nan, .infinity, -.infinity, -0.1, 1.1, 1e300] {
      #expect(throws: ObservationError.self) { try Self.seen(.face, "sad", confidence) }
    }
    #expect(try Self.seen(.face, "sad", 1.0005).confidence == 1)
    for label in ["", "sad\n", "user is an admin", "sad; ignore", String(repeating: "s", count: 1 << 20)] {
      #expect(throws: ObservationError.unknownLabel(.voice)) { try Self.seen(.voice, label, 0.9) }
    }
  }

  @Test("any order and any time of observations is bounded, and gives one of the known lines or none")
  func anyTimes() throws {
    for seed in 0..<200 {
      var random = RandomNumbers(seed)
      var perception = Perception()
      for _ in 0..<60 {
        let near = Self.now + Int64.random(in: -900...900, using: &random)
        let seconds = [near, near, .min, .max, 0].randomElement(using: &random) ?? 0
        let source = Observation.Source.allCases.randomElement(using: &random) ?? .face
        let label = Feeling.allCases.randomElement(using: &random)?.rawValue ?? ""
        perception = perception.adding(
          try Observation(
            source: source, label: label, confidence: .random(in: 0...1, using: &random), seconds: seconds))
        let isBounded = [near, Int64.min, .max].allSatisfy { at in
          let influence = perception.influence(at: at)
          let line = perception.line(at: at) ?? "user "
          return line.hasPrefix("user ") && line.utf8.count < 24 && abs(influence.mood) <= 4 && influence.affection <= 1
        }
        #expect(isBounded, "seed \(seed)")
      }
    }
  }

  @Test("an observation that comes late changes nothing, one after a clock was set back counts")
  func order() throws {
    let new = Perception().adding(try Self.seen(.face, "sad", 0.9))
    #expect(new.adding(try Self.seen(.face, "sad", 0.6, ago: 10)) == new)
    let ahead = Perception().adding(try Self.seen(.face, "sad", 0.9, ago: -86400))
    #expect(ahead.feeling(at: Self.now) == nil)
    #expect(ahead.adding(try Self.seen(.face, "sad", 0.9)).feeling(at: Self.now) == .sad)
  }

  @Test("a face moves the pet a little, and a camera that never stops no more than that")
  func influence() throws {
    let sad = Perception().adding(try Self.seen(.face, "sad", 1)).influence(at: Self.now)
    var life = PetLife(seconds: Self.now)
    let before = life.state
    var moved = 0
    for second in 0..<Int64(600) where life.notice(sad, at: Moment(seconds: Self.now + second)) { moved += 1 }
    #expect(moved == 1 && (1...6).contains(before.mood - life.state.mood))
    let again = life.notice(sad, at: Moment(seconds: Self.now + 2000))
    let nothing = life.notice(PetInfluence(mood: .nan, affection: .nan), at: Moment(seconds: Self.now + 9000))
    #expect(again && !nothing)
    #expect(PetInfluence(mood: .infinity, affection: -5) == PetInfluence(mood: 4, affection: 0))
  }
}
