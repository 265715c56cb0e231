// SPDX-License-Identifier: Apache-2.0
import PetText

/// /proc/cpuinfo and the processor part of /proc/self/status (proc(5)).
enum CPUInfo {
  /// "model name" of the first processor; ARM kernels give none.
  static func model(_ text: String) -> String? {
    for line in text.split(separator: "\n") {
      if let (key, value) = line.halves(at: ":"), key == "model name", !value.isEmpty { return value }
    }
    return nil
  }

  static func processors(_ text: String) -> Int {
    text.split(separator: "\n").count { $0.halves(at: ":")?.key == "processor" }
  }

  /// How many processors "Cpus_allowed_list" names: "0-3,8,10-11" is 7.
  static func allowed(_ status: String) -> Int? {
    let key = "Cpus_allowed_list:".utf8
    let line = status.utf8.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: key) }
    return line.flatMap { count(list: String(Substring($0.dropFirst(key.count))).trimmed) }
  }

  private static func count(list: String) -> Int? {
    var total = 0
    for part in list.split(separator: ",") {
      let ends = part.split(separator: "-").map { Int($0.trimmed) }
      guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first >= 0, last >= first,
        last < 1 << 20
      else { return nil }
      total += last - first + 1
    }
    return total > 0 ? total : nil
  }
}
