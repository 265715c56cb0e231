// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Affect by rules: what is known best about voices. Nothing is trained, since nothing trained did better on voices
/// that it had not heard (`Training/classifiers/measure_affect.py`).
///
/// Excited voices are higher, louder, faster, livelier and brighter; valence is heard far less well: lively melody
/// speaks for it, a pressed, rough or flat voice against it. Directions: R. Banse and K. Scherer, "Acoustic profiles in
/// vocal emotion expression", Journal of Personality and Social Psychology 70 (1996); K. Scherer, Speech Communication
/// 40 (2003). The sizes are ours.
package enum AffectRules {
  /// Everybody's means, used until the speaker is known. Pitch (semitones above 100 Hz) lies between the voices of men
  /// and women, so it counts little then; loudness depends on the microphone, so it does not count at all.
  private enum Everybody {
    static let pitch: Float = 8
    static let rate: Float = 4
    static let pitchRange: Float = 4
    static let tilt: Float = 14
  }

  /// By how much less sure it is than the rules look: so that what it says is right as often as it says, by the only voices with
  /// labels that could be had, acted ones (`Training/classifiers/measure_affect.py`).
  private static let sureness: Float = 0.14

  /// With `usesTimbre`, brightness and roughness count beside melody, loudness and rhythm.
  package static func affect(_ prosody: ProsodySummary, baseline: SpeakerBaseline?, usesTimbre: Bool) -> VocalAffect {
    let known = baseline.flatMap { $0.isEnough ? $0 : nil }
    // Each about -1 to 1 in ordinary speech.
    let height = (prosody.pitchInSemitones - (known?.pitch ?? Everybody.pitch)) / (known == nil ? 12 : 4)
    let loudness = known.map { (prosody.energy - $0.energy) / 6 } ?? 0
    let haste = (prosody.rate - (known?.rate ?? Everybody.rate)) / 1.5
    let liveliness = (prosody.pitchRange - (known?.pitchRange ?? Everybody.pitchRange)) / 3
    let brightness = usesTimbre ? ((known?.tilt ?? Everybody.tilt) - prosody.tilt) / 6 : 0
    let roughness = usesTimbre ? (10 - prosody.harmonicity) / 6 : 0

    let arousal = tanh(0.5 * height + 0.5 * loudness + 0.3 * haste + 0.3 * liveliness + 0.4 * brightness)
    let pressure = 0.3 * max(brightness, 0) + 0.2 * max(loudness, 0)
    let valence = tanh(0.4 * liveliness + 0.2 * height - 0.3 * roughness - pressure)

    var scores: [VocalAffect.Label: Float] = [:]
    for label in VocalAffect.Label.allCases {
      let place = AffectCircle.place(label)
      let (right, up) = (valence - place.valence, arousal - place.arousal)
      scores[label] = -4 * (right * right + up * up)
    }
    // Anger and fear lie together; fear is higher and less loud.
    let frailty = 0.5 * (height - brightness)
    scores[.fearful, default: 0] += frailty
    scores[.angry, default: 0] -= frailty
    return VocalAffect(
      valence: valence, arousal: arousal,
      probabilities: AffectCircle.probabilities(scores.mapValues { $0 * sureness }), prosody: prosody)
  }
}
