// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import SeededGenerator

/// Random facts of a pet's life: a schedule of care and absence is the same from the same seed.
struct RandomNumbers: RandomNumberGenerator {
  private var generator: SeededGenerator

  init(_ seed: Int) { generator = SeededGenerator(seed: UInt64(bitPattern: Int64(seed))) }

  mutating func next() -> UInt64 { generator.next() }

  /// Any state.
  mutating func petState() -> PetState {
    func any() -> Int { Int.random(in: 0...100, using: &self) }
    return PetState(hunger: any(), energy: any(), mood: any(), affection: any(), health: any())
  }

  /// Any temperament.
  mutating func drift() -> PetDrift {
    func any() -> Double { Double.random(in: PetDrift.range, using: &self) }
    return PetDrift(hunger: any(), energy: any(), mood: any(), affection: any())
  }

  /// Any second of the last decades, where any offset is local.
  mutating func moment() -> Moment {
    Moment(
      seconds: Int64.random(in: 0...2_000_000_000, using: &self), offset: Int.random(in: -43200...50400, using: &self))
  }

  /// A life that is under way: cared for at random over two days.
  mutating func life(at start: Moment, _ drift: PetDrift) -> PetLife {
    var life = PetLife(petState(), seconds: start.seconds)
    var now = start
    for _ in 0..<Int.random(in: 0...8, using: &self) {
      now = now.later(Int64.random(in: 0...21600, using: &self))
      life.care(CareAction.allCases.randomElement(using: &self) ?? .pet, at: now, drift: drift)
    }
    return life
  }
}

extension Moment {
  func later(_ seconds: Int64) -> Moment { Moment(seconds: self.seconds + seconds, offset: Int(offset)) }
}

extension PetState {
  /// The most that one of the values differs by.
  func distance(to other: PetState) -> Int {
    zip(
      [hunger, energy, mood, affection, health],
      [other.hunger, other.energy, other.mood, other.affection, other.health]
    ).map { abs($0 - $1) }.max() ?? 0
  }
}
