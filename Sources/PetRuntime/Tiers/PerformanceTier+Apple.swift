// SPDX-License-Identifier: Apache-2.0
extension PerformanceTier {
  /// The tier of an Apple device by its identifier, such as "iPhone14,5": the number before the comma is the generation,
  /// not the name that a shop gives it (iPhone14 is the iPhone 13). Whatever the table does not name is `medium`.
  package init(appleIdentifier identifier: String) {
    switch Self.generation(identifier) {
    case 14...: self = .high
    case 13: self = .medium
    case 12: self = .low
    default: self = .medium
    }
  }

  /// 0 where the identifier names no iPhone.
  private static func generation(_ identifier: String) -> Int {
    guard identifier.hasPrefix("iPhone") else { return 0 }
    let digits = identifier.dropFirst("iPhone".count).prefix { $0.isASCII && $0.isNumber }
    // More digits than any generation has are not a newer phone.
    return digits.count <= 4 ? Int(digits) ?? 0 : 0
  }
}
