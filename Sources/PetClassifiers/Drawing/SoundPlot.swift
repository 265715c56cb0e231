// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A sound over time: its wave, the pitch of the voice, how probably somebody speaks, and what was said of it.
struct SoundPlot {
  private static let size = (width: 1_000, height: 560)
  private static let left = 20
  /// Between panels, and room for a line of text above each.
  private static let gap = 44
  private static let panelHeight = 90
  private static let grid = PictureColor(red: 225, green: 225, blue: 225)

  private var picture: Picture
  private let columns = Self.left..<(Self.size.width - Self.left)
  private let duration: Float

  /// - Throws: `invalidInput` where there is no memory for it.
  init(_ sound: Waveform) throws(ClassifierError) {
    let count = Self.size.width * Self.size.height * 3
    picture = try Picture(
      width: Self.size.width, height: Self.size.height, rgb: [UInt8](repeating: 255, count: count))
    duration = Float(sound.duration)
  }

  /// O(samples).
  static func draw(
    _ sound: Waveform, _ track: VoiceTrack, _ judgements: [VocalAffectClassifier.Judgement]
  ) throws(ClassifierError) -> Picture {
    var plot = try SoundPlot(sound)
    plot.drawWave(sound)
    plot.drawPitch(track)
    plot.drawSpeech(track)
    plot.drawLabels(judgements)
    return plot.picture
  }

  /// Rows of the panel of this number from the top, its frame drawn.
  private mutating func panel(_ number: Int, _ title: String) -> ClosedRange<Int> {
    let top = Self.gap + number * (Self.panelHeight + Self.gap)
    let rows = top...(top + Self.panelHeight)
    fill(columns, rows.lowerBound...rows.lowerBound, Self.grid)
    fill(columns, rows.upperBound...rows.upperBound, Self.grid)
    picture.drawLabel([title], at: PicturePoint(x: Float(Self.left), y: Float(top - 39)), .white)
    return rows
  }

  private mutating func drawWave(_ sound: Waveform) {
    let rows = panel(0, "wave   \((duration * 10).rounded() / 10) s")
    let loudest = max(sound.samples.reduce(0) { max($0, abs($1)) }, 1e-3)
    for (place, column) in columns.enumerated() {
      let first = place * sound.samples.count / columns.count
      let last = max(first + 1, (place + 1) * sound.samples.count / columns.count)
      let samples = sound.samples[first..<min(last, sound.samples.count)]
      guard let low = samples.min(), let high = samples.max() else { continue }
      fill(
        column..<(column + 1), row(high / loudest, in: rows, -1...1)...row(low / loudest, in: rows, -1...1), .blue)
    }
  }

  private mutating func drawPitch(_ track: VoiceTrack) {
    let (floor, ceiling) = (PitchCandidates.floor, PitchCandidates.ceiling)
    let rows = panel(1, "pitch   \(Int(floor)) - \(Int(ceiling)) hz")
    for (index, pitch) in track.pitches.enumerated() {
      guard let pitch else { continue }
      let (x, y) = (column(ProsodyFrame.time(of: index)), row(log2(pitch / floor), in: rows, 0...log2(ceiling / floor)))
      fill(x..<(x + 2), (y - 1)...(y + 1), .orange)
    }
  }

  private mutating func drawSpeech(_ track: VoiceTrack) {
    let rows = panel(2, "speech   0 - 100 %")
    let piece = Float(VoiceActivityDetector.piece) / Float(Waveform.rate)
    for (index, probability) in track.speechProbabilities.enumerated() {
      let (first, last) = (column(Float(index) * piece), column(Float(index + 1) * piece))
      fill(first..<max(last, first + 1), row(probability, in: rows, 0...1)...rows.upperBound, .green)
    }
  }

  private mutating func drawLabels(_ judgements: [VocalAffectClassifier.Judgement]) {
    let rows = panel(3, "voice")
    var before: Float = 0
    var label: VocalAffect.Label?
    var (free, names): (Int, [(text: String, place: PicturePoint)]) = (0, [])
    for judgement in judgements {
      let (first, last) = (column(before), column(judgement.seconds))
      before = judgement.seconds
      guard case .affect(let affect) = judgement.result else {
        label = nil
        continue
      }
      fill(first..<max(last, first + 1), row(affect.confidence, in: rows, 0...1)...rows.upperBound, affect.label.color)
      // A name for each change, where there is room.
      if affect.label != label, first >= free {
        let text = "\(affect.label.rawValue) \(Int((affect.confidence * 100).rounded()))%"
        names.append((text, PicturePoint(x: Float(first), y: Float(rows.lowerBound + 4))))
        free = first + text.count * 26
      }
      label = affect.label
    }
    for name in names { picture.drawLabel([name.text], at: name.place, .white) }
  }

  private func column(_ seconds: Float) -> Int {
    let part = duration > 0 ? min(max(seconds / duration, 0), 1) : 0
    return columns.lowerBound + Int(part * Float(columns.count - 1))
  }

  private func row(_ value: Float, in rows: ClosedRange<Int>, _ range: ClosedRange<Float>) -> Int {
    let part = min(max((value - range.lowerBound) / (range.upperBound - range.lowerBound), 0), 1)
    return rows.upperBound - Int(part * Float(rows.count - 1))
  }

  /// What lies outside is left out.
  private mutating func fill(_ columns: Range<Int>, _ rows: ClosedRange<Int>, _ color: PictureColor) {
    for y in rows.clamped(to: 0...(picture.height - 1)) {
      for x in columns.clamped(to: 0..<picture.width) {
        let place = (y * picture.width + x) * 3
        (picture.pixels[place], picture.pixels[place + 1], picture.pixels[place + 2]) =
          (color.red, color.green, color.blue)
      }
    }
  }
}

extension Picture {
  /// A plot of a sound over time: wave, pitch, probability of speech, and the labels of the judgements.
  /// - Throws: `invalidInput` where there is no memory for it.
  package init(
    plotting sound: Waveform, _ track: VoiceTrack, _ judgements: [VocalAffectClassifier.Judgement]
  ) throws(ClassifierError) {
    self = try SoundPlot.draw(sound, track, judgements)
  }
}

extension VocalAffect.Label {
  fileprivate var color: PictureColor {
    switch self {
    case .calm: PictureColor(red: 90, green: 160, blue: 220)
    case .happy: PictureColor(red: 250, green: 200, blue: 40)
    case .sad: PictureColor(red: 80, green: 90, blue: 170)
    case .angry: PictureColor(red: 215, green: 60, blue: 50)
    case .fearful: PictureColor(red: 150, green: 90, blue: 180)
    case .neutral: PictureColor(red: 160, green: 160, blue: 160)
    }
  }
}
