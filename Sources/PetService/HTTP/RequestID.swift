// SPDX-License-Identifier: Apache-2.0
/// A name for one request: 64 random bits.
enum RequestID {
  static func make() -> String {
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
