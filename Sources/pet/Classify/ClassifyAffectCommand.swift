// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PetCommandLine
import PetEngine
import Synchronization

struct ClassifyAffectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "affect", abstract: "How a voice sounds: pleasant or not, excited or calm, and a word for it.",
    discussion: """
      Sounds are WAV files of any common rate and encoding, up to ten minutes long, or with --raw samples without a header: an \
      encoding (\(SoundFormat.encodingNames.joined(separator: ", "))), frames per second and channels. Raw samples on \
      standard input are a stream: the last three seconds are judged 10, 5 or 2 times a second, by quality. --draw plots the \
      wave, the pitch, where somebody speaks, and the judgements over time.

      EXAMPLES
        pet classify affect talk.wav
        pet classify affect talk.wav --draw talk.png
        pet classify affect recordings --json
        arecord -f S16_LE -r 16000 -t raw | pet classify affect - --raw s16le:16000:1
      """)

  @Argument(help: "Sounds, folders of WAV files, or - for standard input.")
  var input: [String]

  @Option(help: ArgumentHelp("The input has no header: s16le:16000:1 and so on.", valueName: "format"))
  var raw: String?

  @OptionGroup var options: ClassifyOptions

  func validate() throws {
    do {
      _ = try format
    } catch {
      throw ValidationError("--raw: \(error)")
    }
    if raw != nil, input == ["-"], options.draw != nil {
      throw ValidationError("--draw draws one result, and a stream has no end; give a file")
    }
  }

  private var format: SoundFormat? { get throws { try raw.map { try SoundFormat(text: $0) } } }

  func run() async throws {
    guard let format = try format, input == ["-"] else {
      return try await ClassifyRun(AffectClassification(format: try format), options).run(input)
    }
    try await listen(format)
  }

  /// Judges standard input as it comes, to its end or to what is wrong with it.
  private func listen(_ format: SoundFormat) async throws {
    let classifiers = try await options.classifiers { _ in }
    let model = await classifiers.affect.version
    let kind = AffectClassification(format: format)
    let judged = Mutex(0)
    do {
      try await classifiers.affect.use { classifier in
        var stream = try VocalAffectStream(classifier, format: format)
        // Pieces no longer than from one judgement to the next, so that each is told.
        let most = max(1, format.rate / classifier.rate) * format.frameSize
        var (waiting, heard): ([UInt8], Int) = ([], 0)
        while case let piece = try StandardInput.piece(), !piece.isEmpty {
          waiting += piece
          var start = 0
          while case let size = min(most, waiting.count - start) / format.frameSize * format.frameSize, size > 0 {
            let began = ContinuousClock.now
            let result = try stream.hear(waiting[start..<(start + size)].span.bytes)
            start += size
            heard += size
            guard let result else { continue }
            let index = judged.withLock { judged in
              defer { judged += 1 }
              return judged
            }
            let seconds = Rounding.thousandths(Double(heard / format.frameSize) / Double(format.rate))
            if options.json {
              try JSONOutput.write(
                ClassifyReport(
                  "-", index: index, seconds: seconds, model: model,
                  ms: Rounding.milliseconds(ContinuousClock.now - began), result), isPretty: false)
            } else {
              Output.standard.writeLine("\(Shown.tenths(Float(seconds))) s: \(kind.summary(result))")
            }
          }
          waiting.removeFirst(start)
        }
      }
      guard judged.withLock({ $0 > 0 }) else {
        throw ClassifierError.invalidInput("it ended before there was enough to judge")
      }
    } catch {
      guard let shown = ClassifyRun<AffectClassification>.refusal(error, of: "standard input") else { throw error }
      if options.json {
        let report = ClassifyReport<VocalAffectResult>("-", index: judged.withLock { $0 }, refused: shown)
        try JSONOutput.write(report, isPretty: false)
      }
      throw shown
    }
    if !options.json { Output.standard.writeLine(AffectClassification.caution) }
  }
}

extension ClassifyAffectCommand: SealedCommand {
  var confinement: ConfinementOptions { options.confinement }

  func seal() throws -> CommandSeal { try options.seal(input, endings: AffectClassification.endings) }
}

struct AffectClassification: Classification {
  static let noun = "sound"
  static let endings = ["wav"]
  /// Ten minutes of 48 kHz in two channels of 32 bits.
  static let byteLimit = 256 << 20
  static let isSequence = false
  static let advice = "give a WAV file, or say what it is with --raw"
  static let caution =
    "A guess from melody, loudness and timbre, which says nothing certain of what somebody feels: pet models show vocal-affect"

  /// Nil where inputs are WAV files.
  let format: SoundFormat?

  func decode(_ bytes: [UInt8]) throws -> Waveform {
    guard let format else { return try ClassifyOptions.decoder.sound(wav: bytes) }
    return try Waveform(pcm: bytes.span.bytes, format: format)
  }

  func classify(_ sound: Waveform, index: Int, with classifiers: Classifiers) async throws -> VocalAffectResult {
    try await classifiers.affect(sound)
  }

  func drawing(
    _ sound: Waveform, _ result: VocalAffectResult, showsBoxes: Bool, with classifiers: Classifiers
  ) async throws -> Picture {
    try await classifiers.affect.use { classifier in
      try Picture(plotting: sound, try classifier.track(sound), try classifier.timeline(sound))
    }
  }

  func summary(_ result: VocalAffectResult) -> String {
    switch result {
    case .noSpeech: "no speech"
    case .affect(let affect):
      "\(Self.ranking(affect)); valence \(Shown.tenths(affect.valence)), arousal \(Shown.tenths(affect.arousal))"
    }
  }

  func facts(_ result: VocalAffectResult) -> [(label: String, value: String)] {
    switch result {
    case .noSpeech(let speechSeconds, let voicedSeconds):
      let (speech, voiced) = (Shown.tenths(speechSeconds), Shown.tenths(voicedSeconds))
      return [("heard", "no speech: \(speech) s of it, \(voiced) s voiced, too little to judge by")]
    case .affect(let affect):
      let prosody = affect.prosody
      let (range, rate) = (Shown.tenths(prosody.pitchRange), Shown.tenths(prosody.rate))
      return [
        ("heard", "\(Shown.tenths(prosody.speechSeconds)) s of speech"),
        ("voice", Self.ranking(affect)),
        ("valence", "\(Shown.tenths(affect.valence)), from unpleasant (-1) to pleasant (1)"),
        ("arousal", "\(Shown.tenths(affect.arousal)), from drowsy (-1) to excited (1)"),
        ("melody", "\(Int(prosody.pitch.rounded())) Hz, within \(range) semitones; \(rate) syllables a second"),
      ]
    }
  }

  private static func ranking(_ affect: VocalAffect) -> String {
    Shown.judgement(
      Shown.ranking(affect.probabilities.map { ($0.key.rawValue, $0.value) }), isClear: affect.isClear)
  }
}
