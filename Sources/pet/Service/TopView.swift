// SPDX-License-Identifier: Apache-2.0
import PetAPI

/// The figures of a daemon as lines of text. Pure.
package enum TopView {
  package static func text(_ figures: Figures) -> String {
    let (device, memory) = (figures.device, figures.memory)
    let used = bar(memory.resident / max(1, memory.budget))
    var facts = [
      ("petd", "up \(time(figures.uptime)), \(figures.requests) requests, \(figures.connections) connections"),
      ("model", model(figures.model)),
      ("privacy", "\(figures.privacy.badge) (\(figures.privacy.state)): \(figures.privacy.detail)"),
      ("memory", "\(used) \(Shown.whole(memory.resident)) MiB of \(Shown.whole(memory.budget))"),
    ]
    let speeds = figures.tokensPerSecond
    let speed = speeds.last.map { "\(sparkline(speeds.suffix(40))) \(Shown.whole($0)) tokens/s" }
    facts.append(("speed", speed ?? "nothing was said yet"))
    facts += figures.latency.map { ("latency", line($0)) }
    facts += [
      ("kept model replies", figures.cache.hitRate.map { "\(Shown.whole($0 * 100)) % hits" } ?? "none looked up yet"),
      ("pets", "\(figures.pets) here"),
      (
        "device",
        "\(device.cpu), \(device.cores) cores, \(device.memoryMB / 1024) GiB, \(device.instructionSets.last ?? "plain"), profile \(device.profile)"
      ),
      ("battery", battery(figures.battery, isUsed: !figures.latency.isEmpty)),
    ]
    facts += figures.responses.prefix(3).map {
      ("response", "\($0.model): \($0.response), \(time($0.age)) ago; \($0.reason)")
    }
    facts += figures.alerts.isEmpty ? [("alerts", "none")] : figures.alerts.map { ("ALERT", $0.text) }
    return FactLines.text(facts)
  }

  private static func model(_ model: Figures.Model) -> String {
    let tier = model.tier.map { " (\($0))" } ?? ""
    let stands = model.degraded.map { "; it stands in for \($0.from): \($0.reason)" } ?? ""
    return "\(model.name)\(tier), \(model.isLoaded ? "loaded" : "not loaded")\(stands)"
  }

  private static func line(_ latency: Figures.Latency) -> String {
    let rest = "\(latency.count) inferences, \(Shown.whole(latency.memory)) MiB"
    guard let p50 = latency.p50, let p95 = latency.p95, let p99 = latency.p99 else {
      return "not measured in the last 30 min; \(rest) (\(latency.model))"
    }
    let target = latency.target.map { ", aim \(Shown.whole($0))" } ?? ""
    let kept = latency.compliance.map { ", \(Shown.whole($0 * 100)) % within it" } ?? ""
    return "P50 \(Shown.whole(p50)) ms, P95 \(Shown.whole(p95)), P99 \(Shown.whole(p99))\(target)\(kept); \(rest), "
      + "≈ \(latency.percentPerHalfHour) % of a battery in 30 min (\(latency.model))"
  }

  /// - Parameter isUsed: whether anything was asked of a model, which the estimate is made of.
  private static func battery(_ battery: Figures.Battery, isUsed: Bool) -> String {
    let measured = battery.watts.map { "\($0) W by \(battery.source)" } ?? "energy \(battery.source)"
    let estimate = isUsed ? "≈ \(battery.percentPerHalfHour) % in 30 min" : "nothing was computed yet"
    return "\(battery.percent.map { "\($0) %" } ?? "none"); \(estimate); \(measured)"
  }

  private static func time(_ seconds: Double) -> String {
    let whole = Int(max(0, min(seconds, 1e12)))
    switch whole {
    case ..<60: return "\(whole) s"
    case ..<3600: return "\(whole / 60) min"
    case ..<86_400: return "\(whole / 3600) h \(whole / 60 % 60) min"
    default: return "\(whole / 86_400) d \(whole / 3600 % 24) h"
    }
  }

  private static func bar(_ part: Double) -> String {
    let filled = Int((max(0, min(part, 1)) * 20).rounded())
    return String(repeating: "█", count: filled) + String(repeating: "░", count: 20 - filled)
  }

  private static func sparkline(_ values: some Collection<Double>) -> String {
    let most = max(values.max() ?? 0, 1e-9)
    let steps = Array("▁▂▃▄▅▆▇█")
    return String(values.map { steps[Int((max(0, min($0 / most, 1)) * 7).rounded())] })
  }
}
