// SPDX-License-Identifier: Apache-2.0
/// Which alerts of one model are on, and what of that is told. A pure value: whoever holds it passes figures and the time in.
///
/// An alert is raised at once and ends when its figure was clearly better for `calm`. The same is told at most once in `interval`, however
/// often it comes back; that it got worse is told always, but for the same rule.
package struct AlertTracker: Sendable {
  static let calm = Duration.seconds(10)
  package static let interval = Duration.seconds(60)

  private struct Track: Sendable {
    var severity: PerformanceAlert.Severity?
    var text = ""
    /// How bad the last figure is by itself.
    var now: PerformanceAlert.Severity?
    /// Whether there was a figure when it was last looked at.
    var isRead = true
    /// Since when it could be called less bad.
    var betterSince: Duration?
    /// When each severity was told last.
    var told: [PerformanceAlert.Severity: Duration] = [:]
    /// Whether somebody was told that it is bad, and not yet that it is over.
    var isKnown = false
  }

  private var tracks: [PerformanceAlert.Kind: Track] = [:]
  private var model = ""

  package init() {}

  /// What is on, the worst first.
  package var active: [PerformanceAlert] { alerts { $0.severity } }
  /// Of that, what the last figures say by themselves: what there is to respond to.
  var pressing: [PerformanceAlert] { alerts { $0.severity == nil ? nil : $0.now } }
  /// What is on by figures that there still are: what was changed since may have mended the others.
  var standing: [PerformanceAlert] { alerts { $0.isRead ? $0.severity : nil } }

  private func alerts(_ severity: (Track) -> PerformanceAlert.Severity?) -> [PerformanceAlert] {
    PerformanceAlert.Kind.allCases.compactMap { kind in
      guard let track = tracks[kind], let severity = severity(track) else { return nil }
      return PerformanceAlert(model: model, kind: kind, severity: severity, message: track.text)
    }
    .sorted { ($0.severity ?? .warning) > ($1.severity ?? .warning) }
  }

  /// Takes the figures in.
  /// - Parameter time: since a fixed moment; it should not go back.
  /// - Returns: what is worth telling.
  package mutating func update(_ statistics: PerformanceStatistics, at time: Duration) -> [PerformanceAlert] {
    model = statistics.model
    let readings = AlertThresholds.readings(statistics)
    for kind in tracks.keys where !readings.contains(where: { $0.kind == kind }) {
      tracks[kind]?.now = nil
      tracks[kind]?.isRead = false
    }
    return readings.compactMap { reading in
      var track = tracks[reading.kind] ?? Track()
      defer { tracks[reading.kind] = track }
      (track.text, track.now, track.isRead) = (reading.text, reading.severity, true)
      guard let change = Self.follow(reading, &track, at: time) else { return nil }
      return PerformanceAlert(model: model, kind: reading.kind, severity: change.severity, message: reading.text)
    }
  }

  private struct Change { var severity: PerformanceAlert.Severity? }

  private static func follow(_ reading: AlertThresholds.Reading, _ track: inout Track, at time: Duration) -> Change? {
    let rank = { (severity: PerformanceAlert.Severity?) in severity.map { $0.rawValue + 1 } ?? 0 }
    if rank(reading.severity) > rank(track.severity), let severity = reading.severity {
      track.severity = severity
      track.betterSince = nil
      if let last = track.told[severity], time - last < interval { return nil }
      track.told[severity] = time
      track.isKnown = true
      return Change(severity: severity)
    }
    guard rank(reading.held) < rank(track.severity) else {
      track.betterSince = nil
      return nil
    }
    let since = track.betterSince ?? time
    track.betterSince = since
    guard time - since >= calm else { return nil }
    track.severity = reading.held
    track.betterSince = nil
    guard track.severity == nil, track.isKnown else { return nil }
    track.isKnown = false
    return Change(severity: nil)
  }
}
