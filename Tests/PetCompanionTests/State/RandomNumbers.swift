import PetCompanion

/// SplitMix64 with doubled seeds: a schedule of care and absence is the same from the same seed.
struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) &* 0xd134_2543_de82_ef95 }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    let mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
    let again = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return again ^ again >> 31
  }

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
