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
  private static let size = (width: 1_000, height: 572)
  private static let left = 28
  private static let top = 46
  /// From one panel to the next, with room for a line of text above each.
  private static let step = 136
  private static let panelHeight = 90
  private static let capital: Float = 12
  private static let ground = PictureColor(red: 244, green: 246, blue: 249)
  private static let text = PictureColor(red: 58, green: 66, blue: 78)
  private static let faint = PictureColor(red: 128, green: 138, blue: 152)

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

  /// Rows of the panel of this number from the top, its ground, title and unit drawn.
  private mutating func panel(_ number: Int, _ title: String, _ unit: String) -> ClosedRange<Int> {
    let top = Self.top + number * Self.step
    let rows = top...(top + Self.panelHeight)
    var ground = Mask(width: picture.width, height: picture.height)
    ground.add(
      left: Float(columns.lowerBound) - 8, top: Float(top) - 8, width: Float(columns.count) + 16,
      height: Float(Self.panelHeight) + 16, corner: 8)
    picture.fill(ground, Self.ground)
    let base = Float(top) - 17
    write(title, Float(columns.lowerBound), base, Self.text)
    write(unit, Float(columns.upperBound) - width(unit), base, Self.faint)
    return rows
  }

  private func width(_ text: String) -> Float { StrokeFont.width(text) * Self.capital / StrokeFont.capital }

  private mutating func write(_ text: String, _ x: Float, _ y: Float, _ color: PictureColor) {
    picture.drawText(text, at: PicturePoint(x: x, y: y), capital: Self.capital, color)
  }

  private mutating func drawWave(_ sound: Waveform) {
    let rows = panel(0, "wave", "0 to \((duration * 10).rounded() / 10) s")
    let loudest = max(sound.samples.reduce(0) { max($0, abs($1)) }, 1e-3)
    var lines: [[PicturePoint]] = []
    for (place, column) in columns.enumerated() {
      let first = place * sound.samples.count / columns.count
      let last = max(first + 1, (place + 1) * sound.samples.count / columns.count)
      let samples = sound.samples[first..<min(last, sound.samples.count)]
      guard let low = samples.min(), let high = samples.max() else { continue }
      lines.append([
        PicturePoint(x: Float(column), y: row(high / loudest, in: rows, -1...1)),
        PicturePoint(x: Float(column), y: row(low / loudest, in: rows, -1...1)),
      ])
    }
    picture.drawLines(lines, radius: 0.8, .blue)
  }

  /// Frames of one voiced stretch are joined.
  private mutating func drawPitch(_ track: VoiceTrack) {
    let (floor, ceiling) = (PitchCandidates.floor, PitchCandidates.ceiling)
    let rows = panel(1, "pitch", "\(Int(floor)) to \(Int(ceiling)) Hz")
    var stretches: [[PicturePoint]] = []
    var stretch: [PicturePoint] = []
    for (index, pitch) in track.pitches.enumerated() {
      if let pitch {
        let y = row(log2(pitch / floor), in: rows, 0...log2(ceiling / floor))
        stretch.append(PicturePoint(x: place(ProsodyFrame.time(of: index)), y: y))
      } else {
        stretches.append(stretch)
        stretch = []
      }
    }
    picture.drawLines(stretches + [stretch], radius: 1.7, .orange)
  }

  private mutating func drawSpeech(_ track: VoiceTrack) {
    let rows = panel(2, "speech", "0 to 100 %")
    let piece = Float(VoiceActivityDetector.piece) / Float(Waveform.rate)
    for (index, probability) in track.speechProbabilities.enumerated() {
      fillBar(from: Float(index) * piece, to: Float(index + 1) * piece, probability, in: rows, .green)
    }
  }

  private mutating func drawLabels(_ judgements: [VocalAffectClassifier.Judgement]) {
    let rows = panel(3, "voice", "0 to 100 %")
    var before: Float = 0
    var name: String?
    var (free, names): (Float, [(text: String, x: Float)]) = (0, [])
    for judgement in judgements {
      let start = before
      before = judgement.seconds
      guard case .affect(let affect) = judgement.result else {
        name = nil
        continue
      }
      fillBar(
        from: start, to: judgement.seconds, affect.confidence, in: rows, affect.finding?.color ?? Self.unclear)
      let new = affect.finding?.rawValue ?? "unclear"
      // A name for each change, where there is room.
      if new != name, place(start) >= free {
        let likeliest = "\(affect.label.rawValue) \(Int((affect.confidence * 100).rounded())) %"
        let text = affect.isClear ? likeliest : "unclear, likeliest \(likeliest)"
        let x = max(Float(columns.lowerBound), min(place(start), Float(columns.upperBound) - width(text)))
        names.append((text, x))
        free = x + width(text) + 24
      }
      name = new
    }
    for name in names { write(name.text, name.x, Float(rows.lowerBound) + Self.capital + 6, Self.text) }
  }

  private static let unclear = PictureColor(red: 176, green: 184, blue: 196)

  private func place(_ seconds: Float) -> Float {
    let part = duration > 0 ? min(max(seconds / duration, 0), 1) : 0
    return Float(columns.lowerBound) + part * Float(columns.count - 1)
  }

  private func row(_ value: Float, in rows: ClosedRange<Int>, _ range: ClosedRange<Float>) -> Float {
    let part = min(max((value - range.lowerBound) / (range.upperBound - range.lowerBound), 0), 1)
    return Float(rows.upperBound) - part * Float(rows.count - 1)
  }

  /// A bar of whole columns, at least one, from the bottom of a panel.
  private mutating func fillBar(
    from start: Float, to end: Float, _ part: Float, in rows: ClosedRange<Int>, _ color: PictureColor
  ) {
    let first = Int(place(start))
    let top = Int(row(part, in: rows, 0...1))
    for y in top...max(top, rows.upperBound) {
      for x in first..<max(Int(place(end)), first + 1) {
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
