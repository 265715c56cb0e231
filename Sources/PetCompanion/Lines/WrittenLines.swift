// SPDX-License-Identifier: Apache-2.0
/// Lines written by hand that serve the same end: one is as good as another, but not twice in a row.
package enum WrittenLines {
  /// - Parameters:
  ///   - choice: any number; the same gives the same line.
  ///   - last: what was said last; it is not said again.
  /// - Returns: nil where there is no other line.
  package static func pick(_ lines: [String], choice: UInt64, last: String?) -> String? {
    let fresh = lines.filter { $0 != last }
    return fresh.isEmpty ? nil : fresh[Int(choice % UInt64(fresh.count))]
  }

  /// - Throws: `DecodingError` where `set` has fewer than two different lines for one of `kinds`: it would repeat itself.
  package static func check(_ set: [String: [String]], for kinds: [String], _ decoder: any Decoder) throws {
    for kind in kinds where Set(set[kind] ?? []).count < 2 {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\"\(kind)\" needs two different lines"))
    }
  }
}
