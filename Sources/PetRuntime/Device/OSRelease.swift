// SPDX-License-Identifier: Apache-2.0
/// /etc/os-release (os-release(5)).
enum OSRelease {
  static func prettyName(_ text: String) -> String? {
    for line in text.split(separator: "\n") {
      guard let (key, value) = line.halves(at: "="), key == "PRETTY_NAME" else { continue }
      let name = value.filter { $0 != "\"" && $0 != "'" }
      return name.isEmpty ? nil : name
    }
    return nil
  }
}
