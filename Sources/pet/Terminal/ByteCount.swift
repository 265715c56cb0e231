// SPDX-License-Identifier: Apache-2.0
/// Sizes for people: decimal units, as disks and downloads are counted.
package enum ByteCount {
  package static func text(_ bytes: UInt64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    if unit == 0 { return "\(bytes) B" }
    let tenths = (value * 10).rounded() / 10
    return tenths < 100 ? "\(tenths) \(units[unit])" : "\(Int(value.rounded())) \(units[unit])"
  }
}
