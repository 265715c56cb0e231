// SPDX-License-Identifier: Apache-2.0
/// The day as a drawing: https://www.w3.org/TR/SVG2/
enum SimulatedDayPlot {
  private static let width = 960.0
  private static let left = 70.0
  private static let band = 90.0

  static func svg(_ day: SimulatedDay) -> String {
    let minutes = day.minutes
    let rows: [(String, (SimulatedDay.Minute) -> Double, Double, Double, String)] = [
      ("battery, %", { $0.battery }, 0, 100, "#2a7d4f"), ("heat, °C", { $0.heat }, 20, 55, "#b5482f"),
      ("P95, ms", { min($0.p95, 120) }, 0, 120, "#33548c"), ("rate, %", { $0.rate * 100 }, 0, 100, "#8a6d1d"),
      ("smaller variants", { Double($0.steps) }, 0, 2, "#6a3d8a"),
      ("optional model", { $0.runsOptional ? 1 : 0 }, 0, 1, "#1d7c8a"),
    ]
    let height = band * Double(rows.count) + 60
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(whole(width)) \(whole(height))" font-family="sans-serif" font-size="12">
      <rect width="100%" height="100%" fill="#fff"/>
      <text x="\(whole(left))" y="18" font-size="14">A simulated day: heat from 13 to 15 h, a busy neighbour (grey), charging at night (green), target 50 ms</text>
      """
    ]
    for (name, colour) in [("#e6e6e6", \SimulatedDay.Minute.isBusy), ("#e2f2e6", \.isCharging)] {
      for span in spans(minutes, colour) {
        parts.append(
          "<rect x=\"\(number(x(span.lowerBound)))\" y=\"30\" width=\"\(number(x(span.upperBound) - x(span.lowerBound)))\" height=\"\(whole(height - 60))\" fill=\"\(name)\"/>"
        )
      }
    }
    for (index, row) in rows.enumerated() {
      let top = 36 + band * Double(index)
      func y(_ value: Double) -> Double { top + (band - 16) * (1 - (value - row.2) / (row.3 - row.2)) }
      var points: [String] = []
      var last: Double?
      for (minute, values) in minutes.enumerated() where minute % 2 == 0 {
        let value = row.1(values)
        // A step is one.
        if let last, last != value, row.3 <= 2 { points.append("\(number(x(minute))),\(number(y(last)))") }
        points.append("\(number(x(minute))),\(number(y(value)))")
        last = value
      }
      parts.append(
        "<text x=\"4\" y=\"\(whole(top + 40))\" textLength=\"62\" lengthAdjust=\"spacingAndGlyphs\">\(row.0)</text>")
      parts.append("<path d=\"M\(number(left)) \(number(y(row.2)))H\(whole(width))\" stroke=\"#ccc\"/>")
      parts.append(
        "<polyline fill=\"none\" stroke=\"\(row.4)\" stroke-width=\"1.5\" points=\"\(points.joined(separator: " "))\"/>"
      )
    }
    for hour in stride(from: 0, through: 24, by: 3) {
      parts.append("<text x=\"\(number(x(hour * 60) - 8))\" y=\"\(whole(height - 8))\">\(hour) h</text>")
    }
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  private static func x(_ minute: Int) -> Double { left + (width - left - 20) * Double(minute) / 1440 }

  private static func spans(_ minutes: [SimulatedDay.Minute], _ path: KeyPath<SimulatedDay.Minute, Bool>) -> [Range<
    Int
  >] {
    var spans: [Range<Int>] = []
    var begin: Int?
    for (minute, values) in minutes.enumerated() {
      if values[keyPath: path], begin == nil { begin = minute }
      if !values[keyPath: path], let first = begin {
        spans.append(first..<minute)
        begin = nil
      }
    }
    if let begin { spans.append(begin..<minutes.count) }
    return spans
  }

  private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
  private static func whole(_ value: Double) -> String { "\(Int(value.rounded()))" }
}
