// SPDX-License-Identifier: Apache-2.0
/// Who asks what the pet did by itself hears it: a model would make up what it has not done, and something else the next time.
enum LifeRung {
  private static let southern: Set<String> = [
    "AR", "AU", "BO", "BR", "BW", "CL", "MG", "MZ", "NA", "NZ", "PE", "PY", "UY", "ZA", "ZM", "ZW",
  ]
  private static let emotions: [Emotion] = [.happy, .content, .playful, .proud]

  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard let name = facts.pet.name, let question = PetDays.standard.question(in: facts.message) else { return nil }
    let isSouthern = facts.care.listener.region.map { southern.contains($0.uppercased()) } ?? false
    let text = PetDays.standard.answer(
      to: question, pet: name, day: facts.pet.day, daysAway: facts.pet.daysAway, isSouthern: isSouthern,
      recent: facts.pet.said)
    let emotion = emotions[Int(facts.pet.choice % UInt64(emotions.count))]
    return facts.written(.life, text.map { Reply(text: $0, emotion: emotion, isWellFormed: true) })
  }
}
